import unittest

import numpy as np

import suppression
from suppression import VoiceActivity, compression_ratio, find_loop, is_invented, is_repetitive, runs, without_loops

SENTENCE = "The committee decided that the bridge should be closed until the engineers have checked every bolt."


def timed(text):
    return [{"text": word, "start": index, "end": index + 1} for index, word in enumerate(text.split())]


class Repetition(unittest.TestCase):
    def test_a_phrase_said_over_and_over_is_left_once(self):
        words = without_loops(timed("And so " + "this is the actual test, " * 9 + "thank you"))
        self.assertEqual(" ".join(word["text"] for word in words), "And so this is the actual test, thank you")

    def test_capitals_and_punctuation_do_not_hide_a_loop(self):
        words = "You know. You know, you know you Know".split()
        self.assertIsNotNone(find_loop([suppression.plain(word) for word in words]))

    def test_what_people_do_repeat_stays(self):
        for text in (SENTENCE, "No, no, no, no!", "I think, I think, I think we should go.", ""):
            self.assertFalse(is_repetitive(text), text)
            self.assertEqual(without_loops(timed(text)), timed(text))

    def test_a_long_repetition_without_an_exact_loop_is_known_by_how_well_it_deflates(self):
        text = " ".join(f"he went to the shop and bought {number % 3} apples," for number in range(20))
        self.assertGreater(compression_ratio(text), 2.4)
        self.assertTrue(is_repetitive(text))


class Invention(unittest.TestCase):
    def test_a_probable_sentence_is_kept(self):
        self.assertFalse(is_invented(SENTENCE, 0.9, 6.0))

    def test_an_improbable_one_is_not(self):
        self.assertTrue(is_invented(SENTENCE, 0.2, 6.0))

    def test_nor_more_words_than_anybody_could_say(self):
        self.assertTrue(is_invented(SENTENCE, 0.9, 1.0))

    def test_nor_mere_notes(self):
        self.assertTrue(is_invented("♪ ♪ ♪", 0.9, 5.0))
        self.assertTrue(is_invented("", 0.9, 5.0))


class Voice(unittest.TestCase):
    def test_a_single_window_is_no_speech(self):
        self.assertEqual(runs([0.1, 0.9, 0.1, 0.1]), [])
        self.assertEqual(runs([0.1, 0.9, 0.6, 0.7, 0.4, 0.1]), [(1, 5)])

    def test_speech_up_to_the_end_counts(self):
        self.assertEqual(runs([0.1, 0.9, 0.9, 0.9]), [(1, 4)])

    def test_noise_and_tones_have_no_spans(self):
        voice = VoiceActivity()
        time = np.arange(20 * 16_000) / 16_000
        random = np.random.default_rng(1)
        for level in (0.001, 0.03, 0.3):
            self.assertEqual(voice.spans((level * random.standard_normal(time.size)).astype(np.float32)), [])
        for hertz in (50, 100, 440, 1000):
            self.assertEqual(voice.spans((0.3 * np.sin(2 * np.pi * hertz * time)).astype(np.float32)), [])
        self.assertEqual(voice.spans(np.zeros(0, np.float32)), [])

    def test_pauses_part_speech_only_where_they_are_long(self):
        class Fixed(VoiceActivity):
            def __init__(self, windows):
                self.windows = np.array(windows)

            def probabilities(self, samples):
                return self.windows

        def spans(pause):
            windows = [0.0] * 30 + [1.0] * 30 + [0.0] * round(pause / 0.032) + [1.0] * 30 + [0.0] * 30
            return Fixed(windows).spans(np.zeros(len(windows) * 512), padding=0.3, merge=0.6)

        self.assertEqual(len(spans(0.5)), 1)
        (_, first_end), (second_start, _) = spans(0.65)
        self.assertLessEqual(first_end, second_start + 1e-9)
        self.assertEqual(len(spans(2.0)), 2)


if __name__ == "__main__":
    unittest.main()
