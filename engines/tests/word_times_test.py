import unittest

import numpy as np

from pronunciation import number_words, sounds, spoken_words
from word_times import agreed, attended, monotone_path


class Spoken(unittest.TestCase):
    def test_signs_and_digits_are_said(self):
        self.assertEqual(spoken_words("Mr."), ["mister"])
        self.assertEqual(spoken_words("42%"), ["forty", "two", "percent"])
        self.assertEqual(spoken_words("don’t"), ["don't"])
        self.assertEqual(spoken_words("real-time"), ["real", "time"])
        self.assertEqual(spoken_words("—"), [])
        self.assertEqual(spoken_words("99²"), ["ninety", "nine", "²"])

    def test_numbers(self):
        self.assertEqual(number_words("7"), ["seven"])
        self.assertEqual(number_words("0"), ["zero"])
        self.assertEqual(" ".join(number_words("1984")), "nineteen eighty four")
        self.assertEqual(" ".join(number_words("2500")), "two thousand five hundred")
        self.assertEqual(" ".join(number_words("1900")), "nineteen hundred")
        self.assertEqual(" ".join(number_words("999999")), "nine hundred ninety nine thousand nine hundred ninety nine")
        self.assertEqual(" ".join(number_words("0412")), "zero four one two")

    def test_a_word_that_no_dictionary_has_still_has_sounds(self):
        self.assertEqual(sounds("katoomba"), "K AE T UW M B AE")
        self.assertEqual(sounds("日本"), "")
        self.assertEqual(sounds("²"), "")


class Attention(unittest.TestCase):
    def test_words_follow_the_attention(self):
        attention = np.full((4, 20), 0.01)
        for token, (start, end) in enumerate([(2, 5), (5, 8), (12, 15), (15, 19)]):
            attention[token, start:end] = 0.3
        times = attended(attention, [[0, 1], [2], [3]], 0.1)
        np.testing.assert_allclose(times, [(0.2, 0.8), (1.2, 1.5), (1.5, 1.9)])

    def test_more_tokens_than_frames_still_have_times(self):
        self.assertEqual(len(monotone_path(np.zeros((9, 4)))), 4)
        times = attended(np.full((9, 4), 0.25), [[index] for index in range(9)], 0.1)
        self.assertTrue(all(0 <= start < end <= 0.4 + 1e-9 for start, end in times))


class Agreement(unittest.TestCase):
    def test_the_alignment_counts_where_attention_is_near(self):
        self.assertEqual(agreed([(1.0, 1.5), (9.0, 9.5)], [(1.1, 1.4), (2.0, 2.3)], 10), [(1.0, 1.5), (2.0, 2.3)])

    def test_words_without_alignment_have_the_time_of_attention(self):
        self.assertEqual(agreed([None], [(0.2, 0.4)], 1), [(0.2, 0.4)])

    def test_times_are_in_order_and_inside(self):
        times = agreed([(0.0, 1.0), None, (0.7, 0.9)], [(0.1, 0.9), (0.5, 1.2), (0.6, 2.0)], 1.1)
        for (_, end), (start, _) in zip(times, times[1:]):
            self.assertLessEqual(end, start)
        for start, end in times:
            self.assertLess(start, end)
            self.assertLessEqual(end, 1.1)


if __name__ == "__main__":
    unittest.main()
