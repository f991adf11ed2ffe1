"""Writes when each word of samples/two-voices.ogg is said (two-voices.ctm) and who speaks when (two-voices.rttm).

Synthetic speech knows its own times: flite prints the end of every sound (-psdur). The sounds of a line are shared out
to its words by how many sounds each word has alone. Needs the flite that make-sample.sh used, and its text.
"""

import functools
import subprocess
import tempfile
import wave
from pathlib import Path

HERE = Path(__file__).parent
PAUSE_SECONDS = 0.5  # after every turn, as make-sample.sh pads it
VOICES = ["slt", "rms"]


def flite(text, voice, *options):
    command = ["flite", "-voice", voice, "--setf", "duration_stretch=1.05", *options, "-t", text]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@functools.lru_cache(None)
def sounds(text, voice):
    """(name, start, end) of every sound that is not a pause."""
    found, start = [], 0.0
    for token in flite(text, voice, "-psdur", "-o", "/dev/null").split():
        name, end = token.rsplit(":", 1)
        if name != "pau":
            found.append((name, start, float(end)))
        start = float(end)
    return found


def seconds(text, voice):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "line.wav"))
        flite(text, voice, "-o", path)
        with wave.open(path) as audio:
            return audio.getnframes() / audio.getframerate()


def main():
    words, turns, offset = [], [], 0.0
    for index, line in enumerate((HERE / "two-voices.txt").read_text("utf-8").splitlines()):
        voice = VOICES[index % 2]
        spoken = sounds(line, voice)
        tokens = line.split()
        counts = [len(sounds(token.strip(".,?"), voice)) for token in tokens]
        if sum(counts) != len(spoken):
            raise SystemExit(f"The sounds of the words are not those of the line: {line}: {sum(counts)} {len(spoken)}")
        for token, count in zip(tokens, counts):
            own, spoken = spoken[:count], spoken[count:]
            words.append((offset + own[0][1], offset + own[-1][2], token))
        turns.append((words[-len(tokens)][0], words[-1][1], voice))
        offset += seconds(line, voice) + PAUSE_SECONDS
    ctm = [f"two-voices 1 {start:.3f} {end - start:.3f} {text}\n" for start, end, text in words]
    rttm = [
        f"SPEAKER two-voices 1 {start:.3f} {end - start:.3f} <NA> <NA> {voice} <NA> <NA>\n"
        for start, end, voice in turns
    ]
    (HERE / "two-voices.ctm").write_text("".join(ctm), "utf-8")
    (HERE / "two-voices.rttm").write_text("".join(rttm), "utf-8")
    print(f"{len(words)} words, {len(turns)} turns, {offset:.3f} s")


if __name__ == "__main__":
    main()
