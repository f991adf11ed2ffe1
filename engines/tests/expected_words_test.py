import unittest

import numpy as np

from expected_words import BONUS, ExpectedWords
from moonshine_model import Vocabulary, weights_folder


class Expected(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vocabulary = Vocabulary(f"{weights_folder()}/tokenizer.bin")

    def walk(self, expected, text):
        node, total = expected.root, 0.0
        for token in self.vocabulary.encode(text):
            node, earned = expected.step(node, token)
            total += earned
        return total

    def test_text_becomes_tokens_and_text_again(self):
        for text in ("And Mr. John Dashwood", "Ångström, £5 — naïve", "ill-disposed"):
            tokens = self.vocabulary.encode(text)
            self.assertEqual(" ".join(word for word, _ in self.vocabulary.words(tokens)), text)

    def test_a_whole_expected_word_earns_a_bonus_per_token(self):
        expected = ExpectedWords(self.vocabulary, "quarterly report, Katoomba")
        tokens = len(self.vocabulary.encode("Katoomba"))
        self.assertAlmostEqual(self.walk(expected, "Katoomba"), BONUS * tokens)
        self.assertAlmostEqual(self.walk(expected, "in Katoomba, today"), BONUS * tokens)

    def test_a_word_that_only_begins_like_it_earns_nothing_in_the_end(self):
        expected = ExpectedWords(self.vocabulary, "Katoomba")
        self.assertAlmostEqual(self.walk(expected, "Kat and the"), 0.0)

    def test_common_words_are_not_expected(self):
        self.assertEqual(len(ExpectedWords(self.vocabulary, "the, report, meeting, house")), 0)
        self.assertEqual(len(ExpectedWords(self.vocabulary, None)), 0)

    def test_only_the_last_200_tokens_count(self):
        expected = ExpectedWords(self.vocabulary, "Katoomba, " + "house " * 250 + "Oodnadatta")
        self.assertEqual(list(expected.spelling), ["oodnadatta"])

    def test_the_prompt_says_how_a_word_is_written(self):
        expected = ExpectedWords(self.vocabulary, "Aoife McGlinchey, katoomba")
        self.assertEqual(expected.spelled("Mcglinchey,"), "McGlinchey,")
        self.assertEqual(expected.spelled("Katoomba."), "Katoomba.")
        self.assertEqual(expected.spelled("meeting"), "meeting")

    def test_expected_tokens_are_tried_only_where_they_have_a_chance(self):
        expected = ExpectedWords(self.vocabulary, "Katoomba")
        first = self.vocabulary.encode("Katoomba")[0]
        scores = np.full(len(self.vocabulary.pieces), -20.0)
        self.assertEqual(expected.likely(expected.root, scores, least=-10.0), set())
        scores[first] = -11.0
        self.assertEqual(expected.likely(expected.root, scores, least=-10.0), {first})


if __name__ == "__main__":
    unittest.main()
