"""Makes a tiny Whisper model with random weights, in the format that faster-whisper loads.

    python tools/models/tiny-whisper.py FOLDER [--seed 1]

Its words are nonsense; everything around them is real: the multilingual vocabulary's size and special tokens, so that
languages are detected, alignment heads, so that words have times, and weights that follow the sound, so that two
utterances give two texts. The same seed gives the same files. It wants the packages of
engines/requirements-faster-whisper.txt and writes about 3 MB, nearly all of them the vocabulary.
"""

import argparse
import json
import os
import sys

import numpy as np
from ctranslate2.specs import whisper_spec
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))

import whisper_packages  # noqa: E402, F401  Before faster_whisper.
from faster_whisper.tokenizer import _LANGUAGE_CODES  # noqa: E402

MELS = 80
STATES = 32
HEADS = 4
LAYERS = 2
AUDIO_POSITIONS = 1500
TEXT_POSITIONS = 448
# As many as the real ones have.
TEXT_TOKENS = 50257
BYTES = 256
TIMESTAMPS = 1501
# About so many tokens are said before the model ends an utterance.
TOKENS_SAID = 24


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    text, special = vocabulary()
    write_tokenizer(arguments.folder, text, special)
    write_model(arguments.folder, text, special, np.random.default_rng(arguments.seed))
    features = {"feature_size": MELS, "sampling_rate": 16000, "hop_length": 160, "chunk_length": 30, "n_fft": 400}
    write_json(os.path.join(arguments.folder, "preprocessor_config.json"), features)


def vocabulary():
    """The text tokens (all bytes, then invented words, each with a space before it) and the special ones, in order."""
    # How byte-level tokenizers write bytes: "Ġ" is a space.
    text = sorted(pre_tokenizers.ByteLevel.alphabet())
    consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
    syllables = [a + b for a in consonants for b in vowels] + [a + b + "n" for a in consonants for b in vowels]
    words = ("Ġ" + a + b + c for a in syllables for b in syllables for c in ["", *syllables])
    text += [word for word, _ in zip(words, range(TEXT_TOKENS - len(text) - 1))]
    # By this one, ctranslate2 takes a model for multilingual.
    text.append("")
    # The hundredth code came with large-v3, whose vocabulary is one longer.
    languages = [f"<|{code}|>" for code in _LANGUAGE_CODES if code != "yue"]
    special = ["<|endoftext|>", "<|startoftranscript|>", *languages]
    special += ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>"]
    return text, [*special, "<|notimestamps|>", *(f"<|{i * 0.02:.2f}|>" for i in range(TIMESTAMPS))]


def write_tokenizer(folder, text, special):
    model = models.BPE({token: index for index, token in enumerate(text)}, merges=[])
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    tokenizer.save(os.path.join(folder, "tokenizer.json"))


def write_model(folder, text, special, random):
    spec = whisper_spec.WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    encoder, decoder = spec.encoder, spec.decoder
    set_linear(encoder.conv1, random.normal(0, 0.3, (STATES, MELS, 3)))
    set_linear(encoder.conv2, random.normal(0, 0.3, (STATES, STATES, 3)))
    encoder.position_encodings.encodings = array(sinusoids(AUDIO_POSITIONS, 0.3))
    positions = random.normal(0, 0.5, (TEXT_POSITIONS, STATES))
    # The first state is how old the utterance is; the token that ends it looks at nothing else.
    positions[:, 0] = np.minimum((np.arange(TEXT_POSITIONS) - TOKENS_SAID) / 8, 2)
    decoder.position_encodings.encodings = array(positions)
    embeddings, projection = random.normal(0, 1, (2, len(text) + len(special), STATES))
    embeddings[:, 0] = projection[:, 0] = 0
    projection[len(text)] = 50 * (np.arange(STATES) == 0)
    # Bytes alone would give halves of characters.
    projection[:BYTES] *= 0.1
    decoder.embeddings.weight, decoder.projection.weight = array(embeddings), array(projection)
    for layer in encoder.layer:
        set_attention(layer.self_attention, random, strength=0.5)
        set_feed_forward(layer.ffn, random)
    for layer in decoder.layer:
        set_attention(layer.self_attention, random, strength=0.5)
        set_attention(layer.attention, random, strength=2)
        set_feed_forward(layer.ffn, random)
    for norm in (encoder.layer_norm, decoder.layer_norm):
        set_norm(norm)
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = [len(text)]
    first = len(text) + special.index("<|startoftranscript|>") + 1
    spec.config.lang_ids = list(range(first, len(text) + special.index("<|translate|>")))
    spec.config.alignment_heads = [[LAYERS - 1, head] for head in range(HEADS)]
    spec.register_vocabulary([*text, *special])
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(folder)


def set_linear(linear, weight):
    linear.weight = array(weight)
    linear.bias = array(np.zeros(weight.shape[0]))


def set_norm(norm):
    norm.gamma, norm.beta = array(np.ones(STATES)), array(np.zeros(STATES))


def set_attention(attention, random, strength):
    """Rows: queries, keys and values of the same sequence at once, or queries, then keys and values of the other."""
    fused = len(attention.linear) == 2
    sizes = [3 * STATES, STATES] if fused else [STATES, 2 * STATES, STATES]
    for linear, rows in zip(attention.linear, sizes):
        weight = random.normal(0, strength / np.sqrt(STATES), (rows, STATES))
        # What attention says never touches the age.
        if linear is attention.linear[-1]:
            weight[0] = 0
        set_linear(linear, weight)
    set_norm(attention.layer_norm)


def set_feed_forward(feed_forward, random):
    set_linear(feed_forward.linear_0, random.normal(0, 1 / np.sqrt(STATES), (4 * STATES, STATES)))
    weight = random.normal(0, 0.5 / np.sqrt(STATES), (STATES, 4 * STATES))
    weight[0] = 0
    set_linear(feed_forward.linear_1, weight)
    set_norm(feed_forward.layer_norm)


def sinusoids(length, size):
    steps = np.exp(-np.log(10000) / (STATES // 2 - 1) * np.arange(STATES // 2))
    times = np.arange(length)[:, None] * steps[None]
    return size * np.concatenate([np.sin(times), np.cos(times)], axis=1)


def array(values):
    return np.asarray(values, dtype=np.float32)


def write_json(path, content):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
