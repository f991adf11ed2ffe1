import os
import subprocess
import unittest

from moonshine_engine import Engine

SAMPLE = os.path.join(os.path.dirname(__file__), "../../samples/two-voices.ogg")


class MoonshineEngine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        decode = [os.environ["CURRAWONG_FFMPEG"], "-v", "error", "-i", SAMPLE, "-t", "5", "-ac", "1", "-ar", "16000", "-f", "s16le", "-"]
        cls.speech = subprocess.run(decode, check=True, stdout=subprocess.PIPE).stdout

    def setUp(self):
        self.engine = Engine()

    def hear(self, pcm, prompt=None):
        return self.engine.recognize({"id": 1, "prompt": prompt}, pcm)["words"]

    def test_words_that_cannot_be_aligned_have_the_times_of_attention(self):
        aligned = self.hear(self.speech)

        def fail(pcm, texts):
            raise ValueError("unpronounceable")

        self.engine.aligner.align = fail
        attended = self.hear(self.speech)
        self.assertGreater(len(attended), 3)
        self.assertEqual([word["text"] for word in attended], [word["text"] for word in aligned])
        earliest = 0
        for word in attended:
            self.assertLessEqual(earliest, word["start"])
            self.assertLessEqual(word["start"], word["end"])
            earliest = word["end"]
        self.assertLessEqual(earliest, 5)

    def test_expected_words_are_made_once_for_a_prompt_and_not_for_silence(self):
        self.hear(bytes(2 * 16_000), "Katoomba")
        self.assertEqual(self.engine.expected.cache_info().misses, 0)
        for prompt in ("Katoomba", "Katoomba", None, "Katoomba"):
            self.hear(self.speech, prompt)
        self.assertEqual(self.engine.expected.cache_info().misses, 2)


if __name__ == "__main__":
    unittest.main()
