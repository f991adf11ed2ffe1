"""What keeps an engine from writing words where nobody speaks.

Neural recognizers answer silence, music and noise with fluent sentences, or repeat one phrase until they run out of
room. Three checks stand against it: a voice activity detector before recognition, the probability of what was
recognized, and a look for repetitions in it.

The detector is Silero VAD (MIT), in the form that the faster-whisper wheel carries; nothing else of that package is
needed here.
"""

import importlib.util
import math
import os
import zlib

import numpy as np
import onnxruntime

SAMPLES_PER_SECOND = 16_000
WINDOW_SAMPLES = 512
# The detector sees the end of the window before, too.
CONTEXT_SAMPLES = 64
WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLES_PER_SECOND

# Speech begins above the first and ends below the second: Silero's own advice.
ONSET = 0.5
HOLD = 0.35
# A single window above the onset is a click or a chord; the shortest word has three.
SHORTEST_WINDOWS = 3
# Text that deflates better than this says the same thing over and over (OpenAI's figure for Whisper).
MOST_COMPRESSION = 2.4
# Below this mean probability of tokens the text is invented: far or foreign voices give 0.3 to 0.5, clear speech 0.9.
LEAST_PROBABILITY = 0.35


class VoiceActivity:
    """@raises FileNotFoundError where the wheel that carries the detector is not installed."""

    def __init__(self, path=None):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(
            path or detector_path(), options, providers=["CPUExecutionProvider"]
        )

    def probabilities(self, samples):
        """Probability of speech per window of 32 ms; `samples` are 16 kHz mono, float32, -1 to 1."""
        count = -(-len(samples) // WINDOW_SAMPLES)
        if count == 0:
            return np.zeros(0, np.float32)
        windows = np.zeros((count, WINDOW_SAMPLES), np.float32)
        windows.reshape(-1)[: len(samples)] = samples
        context = np.zeros((count, CONTEXT_SAMPLES), np.float32)
        context[1:] = windows[:-1, -CONTEXT_SAMPLES:]
        state = np.zeros((1, 1, 128), np.float32)
        inputs = {"input": np.concatenate([context, windows], axis=1), "h": state, "c": state}
        return self.session.run(None, inputs)[0].reshape(-1)

    def spans(self, samples, padding=0.3, merge=0.6):
        """Where somebody speaks: [(start, end)] in seconds, in order, not overlapping.

        `padding` seconds are kept before and after each, and pauses shorter than `merge` seconds do not part two.
        """
        end = len(samples) / SAMPLES_PER_SECOND
        spans = []
        for first, last in runs(self.probabilities(samples)):
            start = max(0.0, first * WINDOW_SECONDS - padding)
            stop = min(end, last * WINDOW_SECONDS + padding)
            if spans and start - spans[-1][1] < merge - 2 * padding:
                spans[-1] = (spans[-1][0], stop)
            elif spans and start < spans[-1][1]:
                # The pause is long enough to part them, but not for all of the padding.
                middle = (start + spans[-1][1]) / 2
                spans[-1] = (spans[-1][0], middle)
                spans.append((middle, stop))
            else:
                spans.append((start, stop))
        return spans


def detector_path():
    # The package is found without importing it: its code asks for more than is installed beside it.
    package = importlib.util.find_spec("faster_whisper")
    folders = list(package.submodule_search_locations) if package else []
    for folder in folders:
        path = os.path.join(folder, "assets", "silero_vad_v6.onnx")
        if os.path.exists(path):
            return path
    raise FileNotFoundError(
        "The voice activity detector silero_vad_v6.onnx is missing: install the engine's requirements file again."
    )


def runs(probabilities):
    """Windows of speech, [(first, last + 1)], by onset and hold."""
    found = []
    start = None
    loud = 0
    for index, probability in enumerate([*probabilities, 0.0]):
        if start is None and probability >= ONSET:
            start, loud = index, 0
        if start is not None:
            loud += probability >= ONSET
            if probability < HOLD:
                if loud >= SHORTEST_WINDOWS:
                    found.append((start, index))
                start = None
    return found


def is_invented(text, probability, seconds):
    """Whether a recognized text is no transcript.

    `probability` is the mean of its tokens' (geometric), `seconds` the length of the speech that it was made from.
    """
    if not any(letter.isalnum() for letter in text):
        return True
    if probability < LEAST_PROBABILITY:
        return True
    # Nobody says more than eight words a second.
    if len(text.split()) > 3 + 8 * seconds:
        return True
    return is_repetitive(text)


def is_repetitive(text):
    return compression_ratio(text) > MOST_COMPRESSION or find_loop([plain(word) for word in text.split()]) is not None


def compression_ratio(text):
    """How many times shorter the text becomes; a sentence of speech is at 0.8 to 1.6."""
    data = text.encode("utf-8")
    return len(data) / len(zlib.compress(data)) if data else 0.0


def without_loops(words):
    """`words` ({"text", ...}) where each phrase that is repeated too often is left once."""
    kept = list(words)
    while (loop := find_loop([plain(word["text"]) for word in kept])) is not None:
        start, size, times = loop
        del kept[start + size : start + size * times]
    return kept


def find_loop(words):
    """The first phrase of one to eight words that is repeated too often, (index, words, times), or None.

    People do say a word three times ("no, no, no") and begin a phrase twice, so a phrase counts as a loop from its
    fourth time on, and a single word from its sixth.
    """
    for size in range(1, 9):
        most = 5 if size == 1 else 3
        for start in range(0, len(words) - size * (most + 1) + 1):
            phrase = words[start : start + size]
            times = 1
            while words[start + times * size : start + (times + 1) * size] == phrase:
                times += 1
            if times > most:
                return start, size, times
    return None


def plain(word):
    """Lower case, without punctuation."""
    return "".join(letter for letter in word.lower() if letter.isalnum() or letter == "'")


def mean_probability(probabilities):
    """Geometric mean; 0 of none."""
    if len(probabilities) == 0:
        return 0.0
    return math.exp(sum(math.log(max(p, 1e-9)) for p in probabilities) / len(probabilities))
