"""Decodes windows of sound with a Whisper model, many at a time.

faster-whisper's own pipelines work through one recording: the first ignores that there may be others, the batched one
knows one language, one prompt and one temperature for all, and never asks whether anything was said. Here the pieces
that they are made of (features, prompts, alignment) are put together for utterances that have nothing to do with each
other. What is decided per window is what faster-whisper decides: another temperature where the text is improbable or
repeats itself, nothing where the model hears no speech.
"""

from dataclasses import dataclass, field
from typing import List, Optional

import ctranslate2
import numpy as np
from faster_whisper.tokenizer import Tokenizer
from faster_whisper.transcribe import get_suppressed_tokens, merge_punctuations

from suppression import VoiceActivity, compression_ratio, without_loops

SAMPLE_RATE = 16000
WINDOW_SECONDS = 30
# The model's context holds 448 tokens; half of them are for what is said.
PROMPT_TOKENS = 200
# Of a shorter piece the model has nothing to align words with.
SHORTEST_SECONDS = 0.1
FRAMES_PER_SECOND = 100
# Words are not longer than this; Whisper lets the first of an utterance begin where the sound begins.
LONGEST_WORD_SECONDS = 1.4
SHORTEST_WORD_SECONDS = 0.02
PREPENDED = "\"'“¿([{-"
APPENDED = "\"'.。,，!！?？:：”)]}、"


@dataclass
class Utterance:
    """What came in: samples from -1 to 1, the language wanted (None: to be detected), tokens of the prompt."""

    id: int
    samples: np.ndarray
    language: Optional[str]
    prompt: List[int]
    detected: bool = False
    words: List[dict] = field(default_factory=list)


@dataclass
class Window:
    """Up to 30 s of an utterance, which it begins so many seconds into."""

    utterance: Utterance
    start: float
    samples: np.ndarray


@dataclass
class Attempt:
    tokens: List[int]
    text: str
    log_prob: float
    no_speech: float


class Decoder:
    """
    @param model a faster_whisper.WhisperModel
    @param settings voice_activity, beam_size, temperatures, log_prob_threshold, no_speech_threshold and
        compression_ratio_threshold; a threshold of None is not looked at
    """

    def __init__(self, model, settings):
        self.model = model
        self.settings = settings
        self.tokenizers = {}
        self.voice_activity = VoiceActivity() if settings.voice_activity else None

    def windows(self, utterance):
        """The windows in which there is speech; none in silence, music and noise."""
        samples = utterance.samples
        if len(samples) < SHORTEST_SECONDS * SAMPLE_RATE:
            return []
        seconds = len(samples) / SAMPLE_RATE
        speech = self.voice_activity.spans(samples) if self.voice_activity else [(0.0, seconds)]
        if not speech:
            return []
        if seconds <= WINDOW_SECONDS:
            return [Window(utterance, 0.0, samples)]
        return [
            Window(utterance, start, samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)])
            for start, end in packed(speech)
        ]

    def hear(self, windows):
        """Adds the words of each window to its utterance. All prompts have the same length.

        @raise RuntimeError, MemoryError when ctranslate2 fails; the utterances have no words of these windows then
        """
        features = np.stack([self.features(window.samples) for window in windows])
        encoded = self.model.encode(features)
        self.detect(windows, encoded)
        languages = dict.fromkeys(window.utterance.language for window in windows)
        if len(languages) == 1:
            heard = self.decode(windows, features, encoded)
        else:
            # The model aligns one language at a time.
            heard = [None] * len(windows)
            for language in languages:
                rows = [row for row, window in enumerate(windows) if window.utterance.language == language]
                part = [windows[row] for row in rows]
                for row, words in zip(rows, self.decode(part, features[rows], self.model.encode(features[rows]))):
                    heard[row] = words
        for window, words in zip(windows, heard):
            window.utterance.words.extend(words)

    def features(self, samples):
        mel = self.model.feature_extractor(samples)[..., :-1]
        frames = self.model.feature_extractor.nb_max_frames
        return np.pad(mel[..., :frames], [(0, 0), (0, max(0, frames - mel.shape[-1]))])

    def detect(self, windows, encoded):
        """The language of an utterance is that of its first window."""
        if all(window.utterance.language for window in windows):
            return
        found = self.model.model.detect_language(encoded) if self.model.model.is_multilingual else None
        for row, window in enumerate(windows):
            if window.utterance.language is None:
                window.utterance.detected = True
                window.utterance.language = found[row][0][0][2:-2] if found else "en"

    def decode(self, windows, features, encoded):
        """The words of each window, seconds from the beginning of its utterance; all windows have one language."""
        tokenizer = self.tokenizer(windows[0].utterance.language)
        prompts = [
            self.model.get_prompt(tokenizer, window.utterance.prompt, without_timestamps=True) for window in windows
        ]
        attempts = [[] for _ in windows]
        rows, some = list(range(len(windows))), encoded
        for temperature in self.settings.temperatures:
            answers = self.generate(tokenizer, some, [prompts[row] for row in rows], temperature)
            for row, attempt in zip(rows, answers):
                attempts[row].append(attempt)
            again = [row for row in rows if self.is_doubtful(attempts[row][-1])]
            if not again:
                break
            if len(again) < len(rows):
                rows, some = again, self.model.encode(features[again])
        chosen = [self.choice(tried) for tried in attempts]
        tokens = [[] if attempt is None else attempt.tokens for attempt in chosen]
        if not any(tokens):
            return [[] for _ in windows]
        frames = [len(window.samples) * FRAMES_PER_SECOND // SAMPLE_RATE for window in windows]
        alignments = self.model.find_alignment(tokenizer, tokens, encoded, frames)
        heard = [words_of(window, found) for window, found in zip(windows, alignments)]
        return heard if self.settings.compression_ratio_threshold is None else [without_loops(words) for words in heard]

    def generate(self, tokenizer, encoded, prompts, temperature):
        if temperature > 0:
            # The same recording gives the same text.
            ctranslate2.set_random_seed(1)
            how = {"beam_size": 1, "num_hypotheses": 5, "sampling_topk": 0, "sampling_temperature": temperature}
        else:
            how = {"beam_size": self.settings.beam_size}
        results = self.model.model.generate(
            encoded,
            prompts,
            return_scores=True,
            return_no_speech_prob=True,
            suppress_tokens=get_suppressed_tokens(tokenizer, [-1]),
            max_length=self.model.max_length,
            **how,
        )
        return [attempt_of(tokenizer, result) for result in results]

    def is_silent(self, attempt):
        settings = self.settings
        if settings.no_speech_threshold is None or attempt.no_speech <= settings.no_speech_threshold:
            return False
        # Where the words are probable, the model was wrong to hear no speech.
        return settings.log_prob_threshold is None or attempt.log_prob < settings.log_prob_threshold

    def is_repetitive(self, attempt):
        threshold = self.settings.compression_ratio_threshold
        return threshold is not None and compression_ratio(attempt.text) > threshold

    def is_doubtful(self, attempt):
        if self.is_silent(attempt):
            return False
        threshold = self.settings.log_prob_threshold
        return self.is_repetitive(attempt) or (threshold is not None and attempt.log_prob < threshold)

    def choice(self, attempts):
        """The first that was not doubtful, else the most probable that does not repeat itself; None for nothing."""
        last = attempts[-1]
        if self.is_silent(last):
            return None
        if not self.is_doubtful(last):
            return last
        sound = [attempt for attempt in attempts if not self.is_repetitive(attempt)]
        # What repeats itself at every temperature was not said.
        return max(sound, key=lambda attempt: attempt.log_prob, default=None)

    def tokenizer(self, language):
        if language not in self.tokenizers:
            multilingual = self.model.model.is_multilingual
            self.tokenizers[language] = Tokenizer(self.model.hf_tokenizer, multilingual, "transcribe", language)
        return self.tokenizers[language]

    def prompt_tokens(self, prompt):
        """The last tokens of a prompt, to stand before every window as what was said before it.

        faster-whisper puts `hotwords` and `initial_prompt` into that same place. Of the first it keeps the beginning
        where there are too many, the second it forgets after 30 s: neither is what was asked for.
        """
        text = (prompt or "").strip()
        return self.model.hf_tokenizer.encode(" " + text, add_special_tokens=False).ids[-PROMPT_TOKENS:] if text else []


def packed(speech):
    """Neighbouring pieces put together into windows of up to 30 s, with the silence between them."""
    windows = []
    for start, end in speech:
        while end - start > WINDOW_SECONDS:
            windows.append((start, start + WINDOW_SECONDS))
            start += WINDOW_SECONDS
        if windows and end - windows[-1][0] <= WINDOW_SECONDS:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows


def attempt_of(tokenizer, result):
    tokens = [token for token in result.sequences_ids[0] if token < tokenizer.eot]
    text = tokenizer.decode(tokens).strip()
    # Scores are means over the tokens said; the one that ends the text counts as well.
    length = len(result.sequences_ids[0])
    log_prob = result.scores[0] * length / (length + 1)
    return Attempt(tokens if text else [], text, log_prob, result.no_speech_prob)


def words_of(window, alignment):
    """Words with times inside the window, in order, none before the one before it."""
    merge_punctuations(alignment, PREPENDED, APPENDED)
    duration = len(window.samples) / SAMPLE_RATE
    words, earliest = [], 0.0
    for found in alignment:
        text = found["word"].strip()
        if not text:
            continue
        start, end = float(found["start"]), float(found["end"])
        if end - start > LONGEST_WORD_SECONDS:
            if words:
                end = start + LONGEST_WORD_SECONDS
            else:
                start = end - LONGEST_WORD_SECONDS
        start = min(max(start, earliest), duration)
        end = min(max(end, start + SHORTEST_WORD_SECONDS), duration)
        earliest = end
        words.append(
            {
                "text": text,
                "start": round(window.start + start, 3),
                "end": round(window.start + end, 3),
                "confidence": round(min(1.0, max(0.0, float(found["probability"]))), 4),
            }
        )
    return words
