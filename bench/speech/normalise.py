"""Whisper's English text normaliser on texts that go in as a JSON list and come out as one."""

import json
import sys

from whisper_normalizer.english import EnglishTextNormalizer

normalise = EnglishTextNormalizer()
json.dump([normalise(text) for text in json.load(sys.stdin)], sys.stdout)
