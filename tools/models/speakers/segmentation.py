"""pyannote segmentation-3.0 as an ONNX graph.

SincNet (a bank of 80 band-pass filters whose edges were learnt, then two convolutions), four bidirectional
LSTM layers, two linear layers and a classifier over the seven sets of at most two out of three speakers:
nobody, 1, 2, 3, 1+2, 1+3, 2+3.

Input `x`: float32 [N, 1, samples], 16 kHz. Output `y`: float32 [N, frames, 7], natural logarithms of
probabilities; frame f is about the 991 samples from 270·f on.
"""

import numpy

from graph import Graph

SAMPLE_RATE = 16000
KERNEL = 251
STRIDE = 10
LEAST_HZ = 50
LEAKY = 0.01
HIDDEN = 128
LSTM_LAYERS = 4
INSTANCE_NORM_EPSILON = 1e-5


def segmentation_model(weights, url):
    graph = Graph()
    x = instance_norm(graph, "x", weights, "sincnet.wav_norm1d")
    for layer in range(3):
        if layer == 0:
            x = graph.Abs(graph.Conv(x, sinc_filters(weights), strides=[STRIDE]))
        else:
            prefix = f"sincnet.conv1d.{layer}"
            x = graph.Conv(x, weights[f"{prefix}.weight"], weights[f"{prefix}.bias"])
        x = graph.MaxPool(x, kernel_shape=[3], strides=[3])
        x = graph.LeakyRelu(instance_norm(graph, x, weights, f"sincnet.norm1d.{layer}"), alpha=LEAKY)
    x = graph.Transpose(x, perm=[2, 0, 1])
    for layer in range(LSTM_LAYERS):
        x = lstm(graph, x, weights, layer)
    x = graph.Transpose(x, perm=[1, 0, 2])
    for layer in range(2):
        x = graph.LeakyRelu(linear(graph, x, weights, f"linear.{layer}"), alpha=LEAKY)
    graph.LogSoftmax(linear(graph, x, weights, "classifier"), axis=-1, output="y")
    return graph.model(
        "segmentation-3.0",
        {"x": ["N", 1, "T"]},
        {"y": ["N", "frames", 7]},
        {
            "model_type": "pyannote-segmentation-3.0",
            "version": "1",
            "model_author": "pyannote-audio",
            "licence": "MIT",
            "url": url,
            "sample_rate": SAMPLE_RATE,
            "window_size": 10 * SAMPLE_RATE,
            "receptive_field_size": 991,
            "receptive_field_shift": 270,
            "num_speakers": 3,
            "powerset_max_classes": 2,
            "num_classes": 7,
        },
    )


def instance_norm(graph, x, weights, prefix):
    return graph.InstanceNormalization(
        x, weights[f"{prefix}.weight"], weights[f"{prefix}.bias"], epsilon=INSTANCE_NORM_EPSILON
    )


def sinc_filters(weights):
    """[80, 1, 251]: forty band-pass filters, even (cosine) ones first, then their odd (sine) partners.

    Only the lower edge and the width of each band were learnt (Ravanelli and Bengio 2018; the pairs: Pariente
    et al. 2020).
    """
    prefix = "sincnet.conv1d.0.filterbank"
    low = LEAST_HZ + numpy.abs(weights[f"{prefix}.low_hz_"].astype(numpy.float64))
    high = numpy.clip(
        low + LEAST_HZ + numpy.abs(weights[f"{prefix}.band_hz_"].astype(numpy.float64)), LEAST_HZ, SAMPLE_RATE / 2
    )
    half = KERNEL // 2
    phase = 2 * numpy.pi * numpy.arange(-half, 0) / SAMPLE_RATE
    window = numpy.hamming(KERNEL)[:half]
    band = high - low
    even = (numpy.sin(high * phase) - numpy.sin(low * phase)) / (phase / 2) * window
    odd = (numpy.cos(low * phase) - numpy.cos(high * phase)) / (phase / 2) * window
    cosines = numpy.concatenate([even, 2 * band, even[:, ::-1]], axis=1)
    sines = numpy.concatenate([odd, 0 * band, -odd[:, ::-1]], axis=1)
    filters = numpy.concatenate([cosines / (2 * band), sines / (2 * band)])
    return filters[:, None, :].astype(numpy.float32)


def lstm(graph, x, weights, layer):
    """[frames, N, features] → [frames, N, 2 · HIDDEN], forward direction first."""
    stacked = lambda name: numpy.stack(
        [onnx_gates(weights[f"lstm.{name}_l{layer}{direction}"]) for direction in ("", "_reverse")]
    )
    bias = numpy.concatenate([stacked("bias_ih"), stacked("bias_hh")], axis=1)
    # Direction is an axis of its own in the output: [frames, 2, N, HIDDEN].
    y = graph.LSTM(
        x, stacked("weight_ih"), stacked("weight_hh"), bias, direction="bidirectional", hidden_size=HIDDEN
    )
    y = graph.Transpose(y, perm=[0, 2, 1, 3])
    return graph.Reshape(y, numpy.array([0, 0, 2 * HIDDEN]))


def onnx_gates(stack):
    """PyTorch stacks the gates input, forget, cell, output; ONNX input, output, forget, cell."""
    i, f, c, o = numpy.split(stack, 4)
    return numpy.concatenate([i, o, f, c])


def linear(graph, x, weights, prefix):
    return graph.Add(graph.MatMul(x, weights[f"{prefix}.weight"].T), weights[f"{prefix}.bias"])
