"""When words that are known were spoken: forced alignment by PocketSphinx, with a recognizer's attention beside it.

Forced alignment is right to a hundredth of a second where the words are those that were spoken. Where they are not, or
where voices are far away, it may find no path at all, or a place seconds off; the attention of the model that wrote the
words is coarser (a twentieth of a second) but knows what the model heard. So each word has the time of the alignment
where attention is near, else that of attention.
"""

import numpy as np
from pocketsphinx import Decoder

from pronunciation import sounds, spoken_words

FRAMES_PER_SECOND = 100
# Alignment and attention are about the same event where they are this near, in seconds.
NEAR_SECONDS = 0.4
SHORTEST_SECONDS = 0.02
# A pronunciation of a word that the dictionary lacks is kept, up to so many.
MOST_ADDED = 5000


class Aligner:
    def __init__(self):
        self.start()

    def start(self):
        # Wider than the decoder's own beams, because there is one path and it must reach the end.
        self.decoder = Decoder(samprate=16000, lm=None, loglevel="FATAL", beam=1e-120, wbeam=1e-80, pbeam=1e-120)
        self.added = 0

    def align(self, pcm, texts):
        """@param pcm bytes of 16 kHz mono signed 16-bit samples. @param texts the words, in order.

        @returns (start, end) in seconds, or None, per word.
        """
        if self.added > MOST_ADDED:
            self.start()
        spoken = [[word for word in spoken_words(text) if self.knows(word)] for text in texts]
        expected = [word for words in spoken for word in words]
        found = self.path(pcm, expected) if expected else []
        if len(found) != len(expected):
            return [None] * len(texts)
        times = []
        at = 0
        for words in spoken:
            mine = found[at : at + len(words)]
            at += len(words)
            times.append((mine[0][0], mine[-1][1]) if mine else None)
        return times

    def knows(self, word):
        if self.decoder.lookup_word(word) is not None:
            return True
        spelled = sounds(word)
        if not spelled:
            return False
        self.decoder.add_word(word, spelled, True)
        self.added += 1
        return True

    def path(self, pcm, words):
        try:
            self.decoder.set_align_text(" ".join(words))
            self.decoder.start_utt()
            try:
                self.decoder.process_raw(pcm, full_utt=True)
            finally:
                self.decoder.end_utt()
            if self.decoder.hyp() is None:
                return []
            return [
                (segment.start_frame / FRAMES_PER_SECOND, (segment.end_frame + 1) / FRAMES_PER_SECOND)
                for segment in self.decoder.seg()
                # Silences, noises and sentence marks are not words.
                if not segment.word.startswith(("<", "[", "+"))
            ]
        except RuntimeError:
            # Sound that is too short for so many words.
            return []


def attended(attention, words, frame_seconds):
    """When the model listened to what became each word.

    Tokens follow each other in time, so each frame is given to one token by the path through `attention` that gathers
    the most; a word lasts as long as its tokens, without the frames at its ends that got almost no attention.

    @param attention [tokens, frames]. @param words per word, the indexes of its tokens.
    @returns (start, end) in seconds per word.
    """
    path = monotone_path(np.log(attention + 1e-4))
    times = []
    for tokens in words:
        frames = np.flatnonzero((path >= tokens[0]) & (path <= tokens[-1]))
        if len(frames) == 0:
            # More tokens than frames: the word shares the frame of the one before.
            frames = np.array([tokens[0] * len(path) // len(attention)])
        strength = attention[tokens[0] : tokens[-1] + 1, frames].max(axis=0)
        strong = frames[strength >= 0.2 * strength.max()]
        times.append((float(strong[0]) * frame_seconds, float(strong[-1] + 1) * frame_seconds))
    return times


def monotone_path(scores):
    """@returns per frame, the token that it belongs to; each has at least one frame where there are enough."""
    tokens, frames = scores.shape
    if frames < tokens:
        return np.arange(frames) * tokens // max(frames, 1)
    best = np.full(tokens, -np.inf)
    best[0] = scores[0, 0]
    came_from_before = np.zeros((frames, tokens), bool)
    for frame in range(1, frames):
        before = np.concatenate(([-np.inf], best[:-1]))
        came_from_before[frame] = before > best
        best = np.maximum(best, before) + scores[:, frame]
    path = np.empty(frames, np.int64)
    token = tokens - 1
    for frame in range(frames - 1, -1, -1):
        path[frame] = token
        if came_from_before[frame, token]:
            token -= 1
    return path


def agreed(aligned, attention_times, seconds):
    """One (start, end) per word: in order, not overlapping, inside 0..seconds."""
    times = []
    for found, listened in zip(aligned, attention_times):
        near = found and listened[0] - NEAR_SECONDS <= (found[0] + found[1]) / 2 <= listened[1] + NEAR_SECONDS
        times.append(list(found if near else listened))
    for (before, this) in zip(times, times[1:]):
        if this[0] < before[1]:
            # They share a boundary between where the one begins and the other ends.
            before[1] = this[0] = min(max(this[0], before[0] + SHORTEST_SECONDS), max(before[1], before[0]))
            this[1] = max(this[1], this[0] + SHORTEST_SECONDS)
    return [(min(max(start, 0.0), seconds), min(max(end, 0.0), seconds)) for start, end in times]
