"""Moonshine tiny English on onnxruntime: samples in, tokens out, with what is needed for times and confidence.

The files come in the moonshine-voice wheel. Its own library is not used: it gives text alone, since the decoder that
its word times need is not in the wheel. The decoder that is there computes the same attention without giving it out,
which `with_attention` mends.

Moonshine (Jeffries et al., "Moonshine: Speech Recognition for Live Transcription and Voice Commands", 2024) is an
encoder on raw samples, 384 of them a frame, and a decoder of 6 layers with 8 heads of 36.
"""

import importlib.util
import os
import struct

import numpy as np
import onnxruntime

SAMPLES_PER_SECOND = 16_000
FRAME_SECONDS = 384 / SAMPLES_PER_SECOND
# Shorter sound leaves the encoder without a frame.
SHORTEST_SAMPLES = SAMPLES_PER_SECOND // 10
LAYERS, HEADS, WIDTH = 6, 8, 36
BEGIN, END = 1, 2
# The vocabulary's own space, and the bytes that it falls back to.
SPACE = "\u2581"
FIRST_BYTE = 3
FIRST_MERGED = FIRST_BYTE + 256
# Fast speech has five tokens a second; the model's authors stop at six and a half.
TOKENS_PER_SECOND = 6.5
# Layer and head, of 48, whose attention follows the words best (21 sentences with known times).
ALIGNMENT_HEADS = ((3, 5), (4, 7), (4, 3), (5, 6))

OWN_KEYS = [f"past_key_values.{layer}.decoder.{kind}" for layer in range(LAYERS) for kind in ("key", "value")]
SOUND_KEYS = [f"past_key_values.{layer}.encoder.{kind}" for layer in range(LAYERS) for kind in ("key", "value")]
OWN_OUTPUTS = [name.replace("past_key_values", "present") for name in OWN_KEYS]
SOUND_OUTPUTS = [name.replace("past_key_values", "present") for name in SOUND_KEYS]
ATTENTION_OUTPUTS = [f"present.{layer}.encoder.key" for layer in range(LAYERS)]


class Moonshine:
    """@raises FileNotFoundError where the wheel with the weights is not installed."""

    def __init__(self, threads=1):
        folder = weights_folder()
        with open(os.path.join(folder, "decoder_model_merged.ort"), "rb") as file:
            decoder = with_attention(file.read())
        self.encoder = session(os.path.join(folder, "encoder_model.ort"), threads)
        self.decoder = session(decoder, threads)
        self.vocabulary = Vocabulary(os.path.join(folder, "tokenizer.bin"))

    def listen(self, samples):
        """Encodes sound once, for any number of decodings. @param samples float32, at least SHORTEST_SAMPLES."""
        everywhere = np.ones((1, len(samples)), np.int64)
        inputs = {"input_values": samples[np.newaxis], "attention_mask": everywhere}
        hidden = self.encoder.run(None, inputs)[0]
        feed = {
            "encoder_attention_mask": everywhere,
            "encoder_hidden_states": hidden,
            "use_cache_branch": np.array([False]),
            "input_ids": np.array([[BEGIN]], np.int64),
        }
        nothing = np.zeros((1, HEADS, 0, WIDTH), np.float32)
        feed.update((key, nothing) for key in OWN_KEYS + SOUND_KEYS)
        # The branch without a cache is run for the keys of the sound, which stay the same from then on.
        feed.update(zip(SOUND_KEYS, self.decoder.run(SOUND_OUTPUTS, feed)))
        feed.update((key, nothing) for key in OWN_KEYS)
        feed["use_cache_branch"] = np.array([True])
        return Heard(self.decoder, feed, len(samples) / SAMPLES_PER_SECOND)


class Heard:
    """Sound that was encoded. What is decoded is a list of tokens without the begin and with the end token."""

    def __init__(self, decoder, feed, seconds):
        self.decoder = decoder
        self.feed = feed
        self.most_tokens = int(seconds * TOKENS_PER_SECOND) + 4

    def decode(self, expected, width=3):
        """Beam search: keeps the best `width` hypotheses, where the expected words count for more.

        One hypothesis costs half the time and makes a quarter more errors; five are no better than three.

        @param expected ExpectedWords.
        """
        feed = dict(self.feed)
        live = [Hypothesis([], 0.0, 0.0, expected.root)]
        done = []
        for _ in range(self.most_tokens):
            logits, *own = self.decoder.run(["logits", *OWN_OUTPUTS], feed)
            scores = log_softmax(logits[:, -1])
            grown = [
                one for row, before in enumerate(live) for one in before.grown(row, scores[row], expected, width)
            ]
            grown.sort(key=lambda one: -one.total)
            done.extend(one for one in grown[:width] if one.tokens[-1] == END)
            live = [one for one in grown if one.tokens[-1] != END][:width]
            # Further tokens only cost, except for what an expected word may still earn.
            best = max((one.total_per_token for one in done), default=-np.inf)
            if len(done) >= width or not live or live[0].total_per_token < best - 0.5:
                break
            for key in ["encoder_attention_mask", "encoder_hidden_states", *SOUND_KEYS]:
                if len(feed[key]) != len(live):
                    feed[key] = np.repeat(self.feed[key], len(live), axis=0)
            parents = [one.parent for one in live]
            feed.update((key, cache[parents]) for key, cache in zip(OWN_KEYS, own))
            feed["input_ids"] = np.array([[one.tokens[-1]] for one in live], np.int64)
        return max(done or live, key=lambda one: one.total_per_token).tokens

    def look_back(self, tokens):
        """@returns the probability of each token, and its attention on the sound: frames of FRAME_SECONDS."""
        feed = dict(self.feed)
        feed["input_ids"] = np.array([[BEGIN, *tokens[:-1]]], np.int64)
        logits, *attention = self.decoder.run(["logits", *ATTENTION_OUTPUTS], feed)
        probabilities = np.exp(log_softmax(logits[0])[np.arange(len(tokens)), tokens])
        return probabilities, sum(attention[layer][0, head] for layer, head in ALIGNMENT_HEADS) / len(ALIGNMENT_HEADS)


class Hypothesis:
    __slots__ = ("tokens", "score", "bonus", "node", "parent")

    def __init__(self, tokens, score, bonus, node, parent=0):
        self.tokens = tokens
        self.score = score
        self.bonus = bonus
        self.node = node
        self.parent = parent

    @property
    def total(self):
        return self.score + self.bonus

    @property
    def total_per_token(self):
        return self.total / len(self.tokens)

    def grown(self, row, scores, expected, width):
        """Itself with each of the likeliest tokens, and with those that are among them for being expected."""
        tokens = np.argpartition(-scores, width)[: width + 1].tolist()
        least = min(scores[tokens])
        for token in {*tokens, *expected.likely(self.node, scores, least)}:
            node, earned = expected.step(self.node, token)
            yield Hypothesis([*self.tokens, token], self.score + float(scores[token]), self.bonus + earned, node, row)


class Vocabulary:
    """The tokens of tokenizer.bin: each has its length in one byte, or two from 128 on, and its text."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.pieces = []
        at = 0
        while at < len(data):
            length = data[at]
            at += 1
            if length >= 128:
                length += 128 * (data[at] - 1)
                at += 1
            self.pieces.append(data[at : at + length])
            at += length
        # A letter is written with its own token and not with its byte.
        self.ids = {piece: token for token, piece in enumerate(self.pieces) if token >= FIRST_MERGED}

    def words(self, tokens):
        """@returns [(text, [indexes into tokens])], in order."""
        words = []
        for index, token in enumerate(tokens):
            if token <= END:
                continue
            piece = self.pieces[token]
            if piece.startswith(SPACE.encode()) or not words:
                words.append((bytearray(), []))
            words[-1][0].extend(piece)
            words[-1][1].append(index)
        spelled = ((text.decode("utf-8", "replace").replace(SPACE, " ").strip(), where) for text, where in words)
        return [(text, where) for text, where in spelled if text]

    def encode(self, text):
        """Tokens of a text: the pair that has the lowest number as one is joined until there is none."""
        pieces = [letter.encode() for letter in SPACE + text.replace(" ", SPACE)]
        while True:
            joined = [
                (self.ids[left + right], at)
                for at, (left, right) in enumerate(zip(pieces, pieces[1:]))
                if left + right in self.ids
            ]
            if not joined:
                break
            _, at = min(joined)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        tokens = []
        for piece in pieces:
            known = self.ids.get(piece)
            tokens.extend([known] if known is not None else [FIRST_BYTE + byte for byte in piece])
        return tokens


def session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait by spinning take the cores of other workers on the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Memory that is kept for the next utterance costs 130 MB and saves no time.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Below errors it complains of every output that `with_attention` gave another shape.
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def weights_folder():
    # The package is found without importing it: its code asks for a microphone and more.
    package = importlib.util.find_spec("moonshine_voice")
    for root in package.submodule_search_locations if package else []:
        folder = os.path.join(root, "assets", "tiny-en")
        if os.path.isdir(folder):
            return folder
    raise FileNotFoundError(
        "The weights of Moonshine tiny-en are missing: install engines/requirements-moonshine.txt again."
    )


def with_attention(model):
    """Lets the decoder's cached branch give out its attention on the sound.

    In that branch the outputs present.N.encoder.key are empty, because the keys of the sound never change. They are
    pointed at the results of the layers' softmax: new names at the end of the flatbuffer, and their offsets in the
    list of the branch's outputs.

    @param model bytes of decoder_model_merged.ort.
    @returns bytes of a model whose cached branch gives [batch, heads, tokens, frames] there.
    """
    branch = cached_branch(model)
    outputs = elements(model, field(model, branch, GRAPH_OUTPUTS))
    names = [text(model, entry) for entry in outputs]
    patched = bytearray(model)
    for layer, output in enumerate(ATTENTION_OUTPUTS):
        name = f"/model/decoder/layers.{layer}/encoder_attn/Softmax_output_0".encode()
        patched.extend(bytes(-len(patched) % 4))
        entry = outputs[names.index(output)]
        struct.pack_into("<I", patched, entry, len(patched) - entry)
        patched.extend(struct.pack("<I", len(name)) + name + b"\0")
    return bytes(patched)


# Places of fields in the tables of onnxruntime's flatbuffer schema (ort.fbs), as FlatBuffers counts: 4, 6, 8 ...
SESSION_MODEL, MODEL_GRAPH, GRAPH_NODES, GRAPH_OUTPUTS = 6, 18, 8, 16
NODE_OPERATOR, NODE_ATTRIBUTES, ATTRIBUTE_NAME, ATTRIBUTE_GRAPH = 14, 24, 4, 18


def cached_branch(model):
    """@returns the position of the graph that is run where `use_cache_branch` is true."""
    root = target(model, field(model, target(model, 0), SESSION_MODEL))
    graph = target(model, field(model, root, MODEL_GRAPH))
    for node in elements(model, field(model, graph, GRAPH_NODES)):
        node = target(model, node)
        if text(model, field(model, node, NODE_OPERATOR)) == "If":
            for attribute in elements(model, field(model, node, NODE_ATTRIBUTES)):
                attribute = target(model, attribute)
                if text(model, field(model, attribute, ATTRIBUTE_NAME)) == "then_branch":
                    return target(model, field(model, attribute, ATTRIBUTE_GRAPH))
    raise ValueError("This is not the decoder of Moonshine tiny-en: it has no branch with a cache.")


# FlatBuffers, as far as it is needed: a reference is a distance from where it stands; a table begins with the distance
# back to its list of fields; a list and a text begin with their length.


def unsigned(model, at):
    return struct.unpack_from("<I", model, at)[0]


def target(model, reference):
    return reference + unsigned(model, reference)


def field(model, table, place):
    fields = table - struct.unpack_from("<i", model, table)[0]
    return table + struct.unpack_from("<H", model, fields + place)[0]


def elements(model, reference):
    start = target(model, reference)
    return [start + 4 * (1 + index) for index in range(unsigned(model, start))]


def text(model, reference):
    start = target(model, reference)
    return model[start + 4 : start + 4 + unsigned(model, start)].decode()


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
