"""How the worker and an engine program speak with each other.

Standard input, per utterance: four bytes (little-endian) with the length of a JSON header, the header
{"id", "language", "prompt", "pcmBytes"}, then pcmBytes of 16 kHz mono signed 16-bit samples.
Standard output: one JSON line {"ready": true, "name", "version", ...} once the model is loaded, then one per utterance,
in order: {"id", "words": [{"text", "start", "end", "confidence"}]} or {"id", "error"}. The program ends when its input
does.
"""

import json
import os
import struct
import sys


def serve(load):
    """Answers until the input ends.

    @param load called once: returns what the first line says, and a function from (header, pcm) to an answer.
    """
    # Native code that prints must not end up between our lines: it gets standard error instead.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    description, recognize = load()
    answer({"ready": True, **description})
    for header, pcm in utterances(sys.stdin.buffer):
        try:
            answer({"id": header["id"], **recognize(header, pcm)})
        # Whatever went wrong with one utterance, the next may do; a native crash is the worker's to notice.
        except Exception as error:
            answer({"id": header["id"], "error": f"{type(error).__name__}: {error}"})


def utterances(stream):
    """Yields (header, pcm) until the input ends, also where it ends in the middle of one."""
    try:
        while True:
            (length,) = struct.unpack("<I", read_exactly(stream, 4))
            header = json.loads(read_exactly(stream, length))
            yield header, read_exactly(stream, header["pcmBytes"])
    except EOFError:
        return


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data
