"""Log mel energies as Kaldi computes them, which is what speaker embedding models are trained on."""

import numpy

SAMPLE_RATE = 16000
FRAME = 400
HOP = 160
FOURIER = 512
BANDS = 80
LOWEST_HZ = 20
PREEMPHASIS = 0.97
# Frames at a time: the intermediate results are thirty times as large as the samples.
BLOCK = 1000
# Smallest step of a 32-bit float, Kaldi's floor under the logarithm.
FLOOR = 1.1920928955078125e-07


def fbank(samples):
    """float32 samples in -1…1 → float32 [frames, 80]; frame f is the 25 ms from 10·f ms on, no padding.

    Windows of Povey's kind, no dither, mean of each frame removed, energies, natural logarithm.
    """
    if len(samples) < FRAME:
        return numpy.zeros((0, BANDS), numpy.float32)
    frames = numpy.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP]
    blocks = [energies(frames[first : first + BLOCK]) for first in range(0, len(frames), BLOCK)]
    return numpy.concatenate(blocks)


def energies(frames):
    """[frames, 400] samples → [frames, 80]."""
    frames = frames.astype(numpy.float32)
    frames -= frames.mean(axis=1, keepdims=True)
    # The first sample of a frame is its own predecessor.
    before = numpy.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    frames = (frames - PREEMPHASIS * before) * WINDOW
    power = numpy.abs(numpy.fft.rfft(frames, FOURIER)) ** 2
    return numpy.log(numpy.maximum(power.astype(numpy.float32) @ FILTERS, FLOOR))


def povey_window():
    hann = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(FRAME) / (FRAME - 1))
    return (hann**0.85).astype(numpy.float32)


def mel(hertz):
    return 1127 * numpy.log1p(numpy.asarray(hertz) / 700)


def mel_filters():
    """[257, 80]: triangles on the mel scale from 20 Hz to half the sample rate."""
    edges = numpy.linspace(mel(LOWEST_HZ), mel(SAMPLE_RATE / 2), BANDS + 2)
    bins = mel(numpy.arange(FOURIER // 2 + 1) * SAMPLE_RATE / FOURIER)[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    filters = numpy.maximum(0, numpy.minimum(rising, falling))
    # Kaldi leaves the last bin, half the sample rate, out.
    filters[-1] = 0
    return filters.astype(numpy.float32)


WINDOW = povey_window()
FILTERS = mel_filters()
