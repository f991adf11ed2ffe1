"""Makes a tiny Whisper model with random weights, in the ggml format that whisper.cpp loads.

    python tools/models/tiny-whisper-ggml.py FILE [--seed 1]

Its words are nonsense; what is around them is real: the multilingual vocabulary's size and special tokens, so that
languages are detected, and tokens with times and probabilities. The same seed gives the same file, of about 4 MB,
nearly all of them the vocabulary. It wants numpy alone.
"""

import argparse
import struct

import numpy as np

MELS = 80
FREQUENCIES = 201
STATES = 32
HEADS = 2
# With two, whisper.cpp takes a model for a distilled one, which has no times.
LAYERS = 4
AUDIO_POSITIONS = 1500
TEXT_POSITIONS = 448
# Text tokens, then the special ones: end, start, 99 languages, six tasks and marks, 1501 times.
TEXT_TOKENS = 50257
TIMES = 1501
TOKENS = TEXT_TOKENS + 2 + 99 + 6 + TIMES
MAGIC = 0x67676D6C
# About so many tokens are said before the model ends an utterance.
TOKENS_SAID = 24


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    with open(arguments.file, "wb") as file:
        half_precision = 1
        sizes = [TOKENS, AUDIO_POSITIONS, STATES, HEADS, LAYERS, TEXT_POSITIONS, STATES, HEADS, LAYERS, MELS]
        file.write(struct.pack("<12I", MAGIC, *sizes, half_precision))
        file.write(struct.pack("<2I", MELS, FREQUENCIES) + mel_filters().tobytes())
        words = vocabulary()
        file.write(struct.pack("<I", len(words)))
        for word in words:
            file.write(struct.pack("<I", len(word)) + word)
        for name, values in tensors(random).items():
            write_tensor(file, name, np.asarray(values))


def vocabulary():
    """All bytes, then invented words, each with a space before it; the last one is empty, as in the real one."""
    consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
    syllables = [a + b for a in consonants for b in vowels] + [a + b + "n" for a in consonants for b in vowels]
    words = (f" {a}{b}{c}".encode() for a in syllables for b in syllables for c in ["", *syllables])
    text = [bytes([value]) for value in range(256)]
    text += [word for word, _ in zip(words, range(TEXT_TOKENS - len(text) - 1))]
    return [*text, b""]


def mel_filters():
    """Triangles of equal area on the mel scale, up to 8 kHz: MELS rows of FREQUENCIES."""
    mels = np.linspace(0, 2595 * np.log10(1 + 8000 / 700), MELS + 2)
    edges = 700 * (10 ** (mels / 2595) - 1)
    frequencies = np.linspace(0, 8000, FREQUENCIES)[None]
    low, middle, high = (edges[i : i + MELS, None] for i in range(3))
    rising, falling = (frequencies - low) / (middle - low), (high - frequencies) / (high - middle)
    return (np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)).astype(np.float32)


def tensors(random):
    made = {
        "encoder.positional_embedding": sinusoids(AUDIO_POSITIONS, 0.3),
        "encoder.conv1.weight": random.normal(0, 0.3, (STATES, MELS, 3)),
        "encoder.conv1.bias": np.zeros((STATES, 1)),
        "encoder.conv2.weight": random.normal(0, 0.3, (STATES, STATES, 3)),
        "encoder.conv2.bias": np.zeros((STATES, 1)),
        **norm("encoder.ln_post"),
        **norm("decoder.ln"),
    }
    positions = random.normal(0, 0.5, (TEXT_POSITIONS, STATES))
    # The first state is how old the utterance is; the token that ends it looks at nothing else. Embeddings are
    # also the projection here, so that a token's own first state must stay at zero for all others.
    positions[:, 0] = np.clip((np.arange(TEXT_POSITIONS) - TOKENS_SAID) / 4, -2, 6)
    embeddings = random.normal(0, 1, (TOKENS, STATES))
    embeddings[:, 0] = 0
    embeddings[TEXT_TOKENS] = 20 * (np.arange(STATES) == 0)
    # Together, times weigh more than any word.
    embeddings[-TIMES:] *= 0.1
    # Bytes alone would give halves of characters.
    embeddings[:256] *= 0.1
    made["decoder.positional_embedding"] = positions
    made["decoder.token_embedding.weight"] = embeddings
    for layer in range(LAYERS):
        block = f"encoder.blocks.{layer}"
        made |= {**attention(f"{block}.attn", random, 0.5), **feed_forward(block, random)}
        block = f"decoder.blocks.{layer}"
        made |= {**attention(f"{block}.attn", random, 0.5), **attention(f"{block}.cross_attn", random, 2)}
        made |= feed_forward(block, random)
    return made


def attention(name, random, strength):
    made = norm(f"{name}_ln")
    for part in ("query", "key", "value", "out"):
        weight = random.normal(0, strength / np.sqrt(STATES), (STATES, STATES))
        # What attention says never touches the age.
        if part == "out":
            weight[0] = 0
        made[f"{name}.{part}.weight"] = weight
        if part != "key":
            made[f"{name}.{part}.bias"] = np.zeros(STATES)
    return made


def feed_forward(block, random):
    out = random.normal(0, 0.5 / np.sqrt(STATES), (STATES, 4 * STATES))
    out[0] = 0
    return {
        **norm(f"{block}.mlp_ln"),
        f"{block}.mlp.0.weight": random.normal(0, 1 / np.sqrt(STATES), (4 * STATES, STATES)),
        f"{block}.mlp.0.bias": np.zeros(4 * STATES),
        f"{block}.mlp.2.weight": out,
        f"{block}.mlp.2.bias": np.zeros(STATES),
    }


def norm(name):
    return {f"{name}.weight": np.ones(STATES), f"{name}.bias": np.zeros(STATES)}


def sinusoids(length, size):
    steps = np.exp(-np.log(10000) / (STATES // 2 - 1) * np.arange(STATES // 2))
    times = np.arange(length)[:, None] * steps[None]
    return size * np.concatenate([np.sin(times), np.cos(times)], axis=1)


def write_tensor(file, name, values):
    """Matrices in half precision; what is added to states in single."""
    is_single = values.ndim < 2 or name.endswith(("positional_embedding", "conv1.bias", "conv2.bias"))
    encoded = name.encode()
    file.write(struct.pack("<3I", values.ndim, len(encoded), 0 if is_single else 1))
    file.write(struct.pack(f"<{values.ndim}I", *reversed(values.shape)) + encoded)
    file.write(values.astype(np.float32 if is_single else np.float16).tobytes())


if __name__ == "__main__":
    main()
