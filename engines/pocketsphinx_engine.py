"""PocketSphinx behind the engine protocol of the worker (engine_protocol.py).

It hears words in music and in noise as well. Where the packages of the voice activity detector are installed, nothing is
recognized in which nobody speaks; without them, and for what the detector lets through, there is the mean confidence.
"""

import os
import re
from importlib.metadata import version

from pocketsphinx import Decoder, NGramModel, get_model_path

from engine_protocol import serve

FRAMES_PER_SECOND = 100
LANGUAGES = ["en"]
PROMPT_WORDS = 200
# Mean over an utterance. Clear speech has 0.6 to 0.9.
LEAST_CONFIDENCE = 0.3
# "read(2)" is the second pronunciation of "read".
PRONUNCIATION = re.compile(r"\(\d+\)$")


class Engine:
    """The English model that comes with the package, with its own search settings.

    Wider beams take twelve times as long for nothing, and another language weight loses words.
    """

    def __init__(self):
        self.decoder = Decoder(samprate=16000, loglevel="FATAL")
        self.usual = self.decoder.current_search()
        self.usual_model = self.decoder.get_lm(self.usual)
        self.unknown = self.usual_model.prob(["<not a word>"])
        self.added = ()

    def expect(self, prompt):
        """Makes words of the prompt possible that the language model does not know.

        It knows 73,000 of the 126,000 words that have a pronunciation; most of the rest are names. Such a
        word is given the probability of an average one. On 16 sentences with a rare name, 15 names were
        right instead of none, and 60 words that nobody said cost one word in 368. Words that the model knows
        cannot be made likelier, and words without a pronunciation are left out.
        """
        words = tuple(dict.fromkeys(word for word in prompt_words(prompt) if self.is_addable(word)))
        if words == self.added:
            return
        if self.added:
            self.decoder.activate_search(self.usual)
            self.decoder.remove_search("prompt")
        self.added = ()
        if not words:
            return
        # A model of its own, so that the words do not stay for the next recording.
        path = os.path.join(get_model_path(), "en-us", "en-us.lm.bin")
        model = NGramModel(self.decoder.config, self.decoder.logmath, path)
        for word in words:
            model.add_word(word, 1.0)
        self.decoder.add_lm("prompt", model)
        self.decoder.activate_search("prompt")
        self.added = words

    def is_addable(self, word):
        return self.decoder.lookup_word(word) is not None and self.usual_model.prob([word]) == self.unknown


def prompt_words(prompt):
    """The last 200 words of a prompt, as the dictionary spells them."""
    return re.findall(r"[a-z][a-z']*", (prompt or "").lower())[-PROMPT_WORDS:]


def transcribe(decoder, pcm):
    """Decodes one utterance as a whole, so that the acoustic normalisation sees all of it."""
    decoder.start_utt()
    try:
        decoder.process_raw(pcm, full_utt=True)
    finally:
        decoder.end_utt()
    if decoder.hyp() is None:
        return []
    logmath = decoder.logmath
    words = []
    for segment in decoder.seg():
        # Silences, noises and sentence marks are not words.
        if segment.word.startswith(("<", "[", "+")):
            continue
        words.append(
            {
                "text": PRONUNCIATION.sub("", segment.word),
                "start": segment.start_frame / FRAMES_PER_SECOND,
                "end": (segment.end_frame + 1) / FRAMES_PER_SECOND,
                "confidence": round(min(1.0, max(0.0, segment.prob)), 4),
            }
        )
    return words


def load_detector():
    """The voice activity detector, or None where its packages are not installed: PocketSphinx needs none of them."""
    try:
        # Not at the top of the file, because its packages may be missing.
        from suppression import VoiceActivity

        return VoiceActivity()
    except (ImportError, FileNotFoundError):
        return None


def spoken_spans(detector, pcm):
    """Where somebody speaks, [(start, end)] in seconds; None where that is not known."""
    if detector is None:
        return None
    # Installed where there is a detector.
    import numpy

    return detector.spans(numpy.frombuffer(pcm, "<i2").astype(numpy.float32) / 32768)


def is_spoken(word, spans):
    middle = (word["start"] + word["end"]) / 2
    return any(start <= middle <= end for start, end in spans)


def is_credible(words):
    """Whether there is reason to believe the words of an utterance."""
    return sum(word["confidence"] for word in words) >= LEAST_CONFIDENCE * len(words)


def load():
    engine = Engine()
    detector = load_detector()

    def recognize(header, pcm):
        spans = spoken_spans(detector, pcm)
        # Nothing to decode: music takes longer than speech.
        if spans == []:
            return {"words": []}
        engine.expect(header.get("prompt"))
        words = transcribe(engine.decoder, pcm)
        if spans is not None:
            words = [word for word in words if is_spoken(word, spans)]
        return {"words": words if is_credible(words) else []}

    description = {"name": "pocketsphinx", "version": version("pocketsphinx"), "languages": LANGUAGES}
    return description, recognize


if __name__ == "__main__":
    serve(load)
