"""When each word of a known text is said, by forced alignment with PocketSphinx's English model.

Standard input: a JSON list of {"path", "words"}, words in lower case. Standard output: a JSON list of the same length, of
{"words": [{"text", "start", "end"}]}, in seconds, or {"error"}. Run as: align_words.py FFMPEG

Against the exact times of 696 words of synthetic speech (flite, four voices) the starts are 9 ms off in the middle and
33 ms in 95 of 100 words, the ends 10 ms and 108 ms.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from pocketsphinx import Decoder

FRAMES_PER_SECOND = 100
PRONUNCIATION = re.compile(r"\(\d+\)$")


class Aligner:
    def __init__(self, ffmpeg):
        self.ffmpeg = ffmpeg
        self.decoder = Decoder(samprate=16000, loglevel="FATAL")
        for line in Path(__file__).with_name("pronunciations.dict").read_text("utf-8").splitlines():
            word, phones = line.split(" ", 1)
            if self.decoder.lookup_word(word) is None:
                self.decoder.add_word(word, phones, True)

    def align(self, path, words):
        unknown = sorted({word for word in words if self.decoder.lookup_word(word) is None})
        if unknown:
            return {"error": f"no pronunciation is known of {', '.join(unknown)}"}
        self.decoder.set_align_text(" ".join(words))
        self.decoder.start_utt()
        self.decoder.process_raw(self.samples(path), full_utt=True)
        self.decoder.end_utt()
        if self.decoder.hyp() is None:
            return {"error": "the text could not be laid over the sound"}
        found = [
            {
                "text": PRONUNCIATION.sub("", segment.word),
                "start": segment.start_frame / FRAMES_PER_SECOND,
                "end": (segment.end_frame + 1) / FRAMES_PER_SECOND,
            }
            for segment in self.decoder.seg()
            # Silences and noises are not words.
            if not segment.word.startswith(("<", "[", "+"))
        ]
        if [word["text"] for word in found] != words:
            return {"error": "not all of the text was found in the sound"}
        return {"words": found}

    def samples(self, path):
        command = [self.ffmpeg, "-nostdin", "-v", "error", "-i", path, "-ac", "1", "-ar", "16000", "-f", "s16le", "-"]
        return subprocess.run(command, check=True, capture_output=True).stdout


def main():
    aligner = Aligner(sys.argv[1])
    json.dump([aligner.align(job["path"], job["words"]) for job in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
