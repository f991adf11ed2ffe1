"""Hears voices: who of up to three speakers is active when in windows of ten seconds, and what each sounds like.

    python speaker_engine.py SEGMENTATION.onnx EMBEDDING.onnx

The protocol is that of the speech engines (engine_protocol.py), with whole chunks for utterances and other words: the
header of a chunk has "segments": [[start, end], ...] in seconds of the chunk, and windows outside all of them are not
looked at; an answer is {"id", "windows": [{"start", "voices": [[{"runs", "alone", "embedding"}]]}]}.

"start" is in seconds of the chunk. A voice of a window comes in pieces of up to two seconds: "runs" are the frames
from, to, from, to ... of 270 samples each, counted from the window's start; "alone" is how many frames nobody else
speaks in; "embedding" is base64 of little-endian 32-bit floats of length 1, or null for too little sound.

The models may be those of tools/models/speakers or others with the same inputs and outputs: sherpa-onnx's
pyannote segmentation 3.0, and speaker embeddings of the 3D-Speaker and WeSpeaker kinds.
"""

import base64
import hashlib
import os
import sys

import numpy
import onnxruntime

from engine_protocol import serve
from kaldi_fbank import FRAME as FBANK_FRAME
from kaldi_fbank import HOP as FBANK_HOP
from kaldi_fbank import SAMPLE_RATE, fbank

WINDOW = 10 * SAMPLE_RATE
# Every moment is heard twice. Four times costs twice as much and told speakers apart no better.
STEP = WINDOW // 2
# A frame of the segmentation: this many samples long, looking at so many around it.
FRAME = 270
RECEPTIVE_FIELD = 991
WINDOWS_AT_ONCE = 4
# The sets of speakers that the segmentation tells apart.
POWERSET = numpy.array(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool
)
# Speech alone of this length is enough; with less, speech under other voices is taken as well.
ENOUGH_ALONE = round(0.4 * SAMPLE_RATE / FRAME)
# Hundredths of a second; with less there is no embedding.
LEAST_EMBEDDED = 20
# In frames: where a voice pauses so long it is cut, and how long a piece of it may be.
PAUSE = round(0.2 * SAMPLE_RATE / FRAME)
LONGEST_PIECE = round(2 * SAMPLE_RATE / FRAME)


class Engine:
    def __init__(self, segmentation_path, embedding_path):
        self.segmentation = session(segmentation_path)
        self.embedding = session(embedding_path)
        self.segmentation_input = self.segmentation.get_inputs()[0].name
        self.embedding_input = self.embedding.get_inputs()[0].name
        described = self.embedding.get_modelmeta().custom_metadata_map
        # Which scale of samples the embedding model was trained with; 3D-Speaker: -1 to 1.
        self.scale = 1.0 if described.get("normalize_samples", "1") == "1" else 32768.0
        self.dimension = int(self.embed(numpy.zeros((100, 80), numpy.float32)).size)
        classes = self.segment(numpy.zeros((1, WINDOW), numpy.float32)).shape[-1]
        if classes != len(POWERSET):
            raise ValueError(f"{segmentation_path} tells {classes} sets of speakers apart instead of {len(POWERSET)}")

    def observe(self, samples, segments):
        """float32 samples of a chunk, spans of speech in seconds → a window description each."""
        features = fbank(samples * self.scale)
        starts = [start for start in window_starts(len(samples)) if overlaps(start, segments)]
        for first in range(0, len(starts), WINDOWS_AT_ONCE):
            group = starts[first : first + WINDOWS_AT_ONCE]
            batch = numpy.stack([padded(samples[start : start + WINDOW]) for start in group])
            for start, likelihoods in zip(group, self.segment(batch)):
                active = POWERSET[likelihoods.argmax(axis=-1)]
                # Nobody speaks in what was padded.
                active[max(0, (len(samples) - start) // FRAME) :] = False
                yield {"start": start / SAMPLE_RATE, "voices": self.voices(active, features, start)}

    def segment(self, batch):
        return self.segmentation.run(None, {self.segmentation_input: batch[:, None, :]})[0]

    def voices(self, active, features, start):
        crowd = active.sum(axis=1)
        return [
            [self.piece(begin, end, active[:, speaker], crowd, features, start) for begin, end in pieces(active[:, speaker])]
            for speaker in numpy.flatnonzero(active.any(axis=0))
        ]

    def piece(self, begin, end, mine, crowd, features, start):
        heard = numpy.zeros_like(mine)
        heard[begin:end] = mine[begin:end]
        alone = heard & (crowd == 1)
        selected = features[within(alone if alone.sum() >= ENOUGH_ALONE else heard, start, len(features))]
        return {
            "runs": runs(heard),
            "alone": int(alone.sum()),
            "embedding": encoded(self.embed(selected)) if len(selected) >= LEAST_EMBEDDED else None,
        }

    def embed(self, features):
        """float32 [frames, 80] → float32 of length 1."""
        vector = self.embedding.run(None, {self.embedding_input: (features - features.mean(axis=0))[None]})[0][0]
        return vector / max(1e-9, float(numpy.linalg.norm(vector)))


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("CURRAWONG_ENGINE_THREADS", "1"))
    options.inter_op_num_threads = 1
    # Threads that wait by spinning take the recognizer's time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Memory is given back between chunks instead of being kept at its highest.
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def window_starts(samples):
    """Every half window; the last window ends with the chunk, unless the chunk is shorter than a window."""
    last = max(0, samples - WINDOW)
    starts = list(range(0, last, STEP))
    # A whole number of frames, so that frames of all windows lie on one grid.
    return [start // FRAME * FRAME for start in [*starts, last]] if samples > 0 else []


def overlaps(start, segments):
    begin, end = start / SAMPLE_RATE, (start + WINDOW) / SAMPLE_RATE
    return any(other_begin < end and begin < other_end for other_begin, other_end in segments)


def padded(samples):
    return numpy.pad(samples, (0, WINDOW - len(samples)))


def within(heard, start, count):
    """Which of `count` feature frames of the chunk lie where `heard`, frames of the window at `start`, is true."""
    middles = numpy.arange(count) * FBANK_HOP + FBANK_FRAME // 2 - start
    frames = numpy.round((middles - RECEPTIVE_FIELD / 2) / FRAME).astype(int)
    chosen = numpy.zeros(count, dtype=bool)
    inside = (middles >= 0) & (middles < WINDOW)
    chosen[inside] = heard[numpy.clip(frames[inside], 0, len(heard) - 1)]
    return chosen


def pieces(active):
    """Cuts a voice at its pauses, and what is long between them into equal parts.

    The segmentation sometimes takes two people for one voice, so each part is heard by itself.
    """
    edges = runs(active)
    stretches = [edges[:2]]
    for begin, end in zip(edges[2::2], edges[3::2]):
        if begin - stretches[-1][1] < PAUSE:
            stretches[-1] = [stretches[-1][0], end]
        else:
            stretches.append([begin, end])
    for begin, end in stretches:
        count = -(-(end - begin) // LONGEST_PIECE)
        cuts = [begin + (end - begin) * cut // count for cut in range(count + 1)]
        yield from zip(cuts, cuts[1:])


def runs(active):
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], active.astype(numpy.int8), [0]])))
    return [int(edge) for edge in edges]


def encoded(vector):
    return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def digest(*paths):
    whole = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            whole.update(file.read())
    return whole.hexdigest()[:12]


def load():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        if not os.path.isfile(path):
            sys.exit(f"The speaker model {path} does not exist.")
    engine = Engine(*sys.argv[1:])
    description = {
        "name": "speakers",
        "version": f"onnxruntime {onnxruntime.__version__}",
        "model": digest(*sys.argv[1:]),
        "dimension": engine.dimension,
    }

    def answer(header, pcm):
        samples = numpy.frombuffer(pcm, "<i2").astype(numpy.float32) / 32768
        return {"windows": list(engine.observe(samples, header["segments"]))}

    return description, answer


if __name__ == "__main__":
    serve(load)
