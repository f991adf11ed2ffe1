"""Moonshine tiny English behind the engine protocol of the worker (engine_protocol.py).

An utterance goes through: voice activity (nothing is recognized where nobody speaks), decoding with the words of the
prompt expected, a second try in two halves where the model repeats itself, word times, and checks of what was written.
"""

import os
import sys
from functools import lru_cache
from importlib.metadata import version

import numpy as np

from engine_protocol import serve
from expected_words import ExpectedWords
from moonshine_model import FRAME_SECONDS, SAMPLES_PER_SECOND, SHORTEST_SAMPLES, Moonshine
from suppression import VoiceActivity, is_invented, is_repetitive, mean_probability, without_loops
from word_times import Aligner, agreed, attended

# Pauses longer than this part two pieces; the model was trained on pieces without long ones.
PAUSE_SECONDS = 1.0
# With less around it the first and last words suffer, with more nothing gets better.
PADDING_SECONDS = 0.45
# Longer pieces are cut, because the model was not trained on any above 30 s and repeats itself near that.
LONGEST_SECONDS = 20.0
# A piece that made the model repeat itself is cut in two and tried again, down to this length.
SHORTEST_RETRY_SECONDS = 4.0


NOTHING_EXPECTED = ExpectedWords(None, None)


class Engine:
    def __init__(self):
        threads = int(os.environ.get("CURRAWONG_ENGINE_THREADS") or 1)
        self.voice = VoiceActivity()
        self.model = Moonshine(threads)
        self.aligner = Aligner()
        # A long prompt takes a third of a second, and all utterances of a recording have the same.
        self.expected = lru_cache(maxsize=4)(lambda prompt: ExpectedWords(self.model.vocabulary, prompt))

    def recognize(self, header, pcm):
        samples = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
        spans = self.voice.spans(samples, padding=PADDING_SECONDS, merge=PAUSE_SECONDS)
        if not spans:
            return {"words": []}
        expected = self.expected(header.get("prompt"))
        words = []
        for start, end in spans:
            for piece in pieces(samples, start, end, LONGEST_SECONDS):
                words.extend(self.words(samples, *piece, expected))
        return {"words": without_loops(words)}

    def words(self, samples, start, end, expected):
        """The words between two seconds of an utterance, with the utterance's times."""
        first, last = round(start * SAMPLES_PER_SECOND), round(end * SAMPLES_PER_SECOND)
        sound = samples[first:last]
        if len(sound) < SHORTEST_SAMPLES:
            return []
        heard = self.model.listen(sound)
        tokens = heard.decode(expected)
        spelled = self.model.vocabulary.words(tokens)
        text = " ".join(word for word, _ in spelled)
        if is_repetitive(text) and end - start > SHORTEST_RETRY_SECONDS:
            halves = pieces(samples, start, end, (end - start) * 0.7)
            return [word for half in halves for word in self.words(samples, *half, expected)]
        probabilities, attention = heard.look_back(tokens)
        if is_invented(text, mean_probability(probabilities), end - start):
            # Expected words must not cost what was said instead of them.
            return self.words(samples, start, end, NOTHING_EXPECTED) if expected else []
        times = agreed(
            self.aligned(sound, [word for word, _ in spelled]),
            attended(attention, [where for _, where in spelled], FRAME_SECONDS),
            end - start,
        )
        return [
            {
                "text": expected.spelled(word),
                "start": round(first / SAMPLES_PER_SECOND + begin, 3),
                "end": round(first / SAMPLES_PER_SECOND + stop, 3),
                "confidence": round(mean_probability(probabilities[where]), 4),
            }
            for (word, where), (begin, stop) in zip(spelled, times)
        ]

    def aligned(self, sound, texts):
        """(start, end) per word, or None where attention alone is to say when it was spoken."""
        try:
            return self.aligner.align(to_pcm(sound), texts)
        # What cannot be aligned was heard all the same.
        except Exception as error:
            print(f"Words are timed without alignment: {type(error).__name__}", file=sys.stderr)
            return [None] * len(texts)


def pieces(samples, start, end, longest):
    """Cuts start..end (seconds) at the quietest places so that no piece is longer than `longest`."""
    if end - start <= longest:
        return [(start, end)]
    # Never so early or so late that a piece of a word or two is left.
    earliest = start + longest * 0.4
    latest = min(start + longest, end - longest * 0.2)
    cut = quietest(samples, earliest, latest)
    return [(start, cut), *pieces(samples, cut, end, longest)]


def quietest(samples, earliest, latest, width=0.15):
    """The middle of the `width` seconds with the least energy between two seconds."""
    first = round(earliest * SAMPLES_PER_SECOND)
    power = np.cumsum(samples[first : round(latest * SAMPLES_PER_SECOND)].astype(np.float64) ** 2)
    size = round(width * SAMPLES_PER_SECOND)
    return (first + int(np.argmin(power[size:] - power[:-size])) + size / 2) / SAMPLES_PER_SECOND


def to_pcm(samples):
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def load():
    engine = Engine()
    description = {
        "name": "moonshine",
        "version": version("moonshine-voice"),
        "model": "tiny-en",
        "languages": ["en"],
        "detectsLanguage": False,
        "batch": 1,
    }
    return description, engine.recognize


if __name__ == "__main__":
    try:
        serve(load)
    except FileNotFoundError as error:
        sys.exit(str(error))
