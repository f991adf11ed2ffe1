import os
import subprocess
import sys
import tempfile
import unittest

from faster_whisper_engine import Engine, load, settings_from
from whisper_decoder import Decoder

HERE = os.path.dirname(__file__)
SAMPLE = os.path.join(HERE, "../../samples/two-voices.ogg")


class OneOfABatchFails(unittest.TestCase):
    """A real model, though with random weights: its words have no sense."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        folder = os.path.join(cls.scratch.name, "tiny-whisper")
        subprocess.run([sys.executable, os.path.join(HERE, "../../tools/models/tiny-whisper.py"), folder], check=True)
        settings = settings_from(
            {
                "WHISPER_MODEL_FOLDER": folder,
                "WHISPER_DEVICE": "cpu",
                "WHISPER_TEMPERATURES": "0",
                # Nonsense is improbable and repeats itself.
                "WHISPER_LOG_PROB_THRESHOLD": "off",
                "WHISPER_NO_SPEECH_THRESHOLD": "off",
                "WHISPER_COMPRESSION_RATIO_THRESHOLD": "off",
            }
        )
        cls.engine = Engine(Decoder(load(settings), settings), 4)
        decode = [os.environ["CURRAWONG_FFMPEG"], "-v", "error", "-i", SAMPLE, "-t", "4", "-ac", "1", "-ar", "16000", "-f", "s16le", "-"]
        cls.speech = subprocess.run(decode, check=True, stdout=subprocess.PIPE).stdout

    def answers(self, spoilt, pcm):
        good = {"language": "en"}
        requests = [({"id": 1, **good}, self.speech), ({"id": 2, **spoilt}, pcm), ({"id": 3, **good}, self.speech)]
        return self.engine.answers(requests)

    def check(self, answers, message):
        self.assertEqual([answer["id"] for answer in answers], [1, 2, 3])
        self.assertRegex(answers[1]["error"], message)
        self.assertNotIn("words", answers[1])
        for answer in (answers[0], answers[2]):
            self.assertGreater(len(answer["words"]), 0)

    def test_in_decoding(self):
        self.check(self.answers({"language": "xx"}, self.speech), "ValueError: .*xx.* is not a valid language")

    def test_in_preparing(self):
        self.check(self.answers({"language": "en"}, self.speech[:-1]), "ValueError: buffer size")


if __name__ == "__main__":
    unittest.main()
