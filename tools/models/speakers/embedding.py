"""CAM++ (Wang et al. 2023, arXiv 2303.00332) as an ONNX graph: what a voice sounds like, as 192 numbers.

A small two-dimensional convolution network over the spectrogram, then a densely connected time delay network
whose layers are masked by their context, then mean and deviation over time.

Input `x`: float32 [N, frames, 80], log mel energies of 10 ms frames less their mean over time. Output
`embedding`: float32 [N, 192]; the angle between two tells how alike the voices are.
"""

import numpy

from graph import Graph

MEL_BANDS = 80
# Layers and dilation of the three dense blocks.
BLOCKS = [(12, 1), (24, 2), (16, 2)]
CONTEXT_FRAMES = 100


def embedding_model(weights, url):
    graph = Graph()
    x = spectral_head(graph, weights)
    x = graph.Conv(x, weights["xvector.tdnn.linear.weight"], strides=[2], pads=[2, 2])
    x = normalised(graph, x, weights, "xvector.tdnn.nonlinear")
    for block, (layers, dilation) in enumerate(BLOCKS, 1):
        for layer in range(1, layers + 1):
            prefix = f"xvector.block{block}.tdnnd{layer}"
            x = graph.Concat(x, dense_layer(graph, x, weights, prefix, dilation), axis=1)
        prefix = f"xvector.transit{block}"
        x = graph.Conv(normalised(graph, x, weights, f"{prefix}.nonlinear"), weights[f"{prefix}.linear.weight"])
    x = normalised(graph, x, weights, "xvector.out_nonlinear")
    x = graph.Conv(mean_and_deviation(graph, x), weights["xvector.dense.linear.weight"])
    x = graph.batch_norm(x, weights, "xvector.dense.nonlinear.batchnorm")
    graph.Squeeze(x, numpy.array([2]), output="embedding")
    size = weights["xvector.dense.linear.weight"].shape[0]
    return graph.model(
        "campplus",
        {"x": ["N", "T", MEL_BANDS]},
        {"embedding": ["N", size]},
        {
            "framework": "3d-speaker",
            "language": "Chinese-English",
            "licence": "Apache-2.0",
            "url": url,
            "sample_rate": 16000,
            "output_dim": size,
            "normalize_samples": 1,
            "feature_normalize_type": "global-mean",
        },
    )


def spectral_head(graph, weights):
    """[N, T, 80] → [N, 320, T]: residual convolutions that narrow the frequency axis to a tenth."""
    x = graph.Unsqueeze(graph.Transpose("x", perm=[0, 2, 1]), numpy.array([1]))
    x = graph.Relu(convolved(graph, x, weights, "head.conv1", "head.bn1", 1))
    for layer in (1, 2):
        for block in (0, 1):
            prefix = f"head.layer{layer}.{block}"
            stride = 2 if block == 0 else 1
            y = graph.Relu(convolved(graph, x, weights, f"{prefix}.conv1", f"{prefix}.bn1", stride))
            y = convolved(graph, y, weights, f"{prefix}.conv2", f"{prefix}.bn2", 1)
            if f"{prefix}.shortcut.0.weight" in weights:
                x = convolved(graph, x, weights, f"{prefix}.shortcut.0", f"{prefix}.shortcut.1", stride)
            x = graph.Relu(graph.Add(y, x))
    x = graph.Relu(convolved(graph, x, weights, "head.conv2", "head.bn2", 2))
    channels = weights["head.conv2.weight"].shape[0] * MEL_BANDS // 8
    return graph.Reshape(x, numpy.array([0, channels, -1]))


def convolved(graph, x, weights, convolution, norm, stride):
    kernel = weights[f"{convolution}.weight"]
    pad = kernel.shape[2] // 2
    x = graph.Conv(x, kernel, strides=[stride, 1], pads=[pad] * 4)
    return graph.batch_norm(x, weights, norm)


def normalised(graph, x, weights, prefix):
    return graph.Relu(graph.batch_norm(x, weights, f"{prefix}.batchnorm"))


def dense_layer(graph, x, weights, prefix, dilation):
    x = graph.Conv(normalised(graph, x, weights, f"{prefix}.nonlinear1"), weights[f"{prefix}.linear1.weight"])
    x = normalised(graph, x, weights, f"{prefix}.nonlinear2")
    layer = f"{prefix}.cam_layer"
    local = graph.Conv(x, weights[f"{layer}.linear_local.weight"], dilations=[dilation], pads=[dilation] * 2)
    context = graph.Add(graph.ReduceMean(x, axes=[2], keepdims=1), means_of_stretches(graph, x))
    for name, activation in (("linear1", graph.Relu), ("linear2", graph.Sigmoid)):
        context = activation(graph.Conv(context, weights[f"{layer}.{name}.weight"], weights[f"{layer}.{name}.bias"]))
    return graph.Mul(local, context)


def means_of_stretches(graph, x):
    """Every frame gets the mean of the stretch of CONTEXT_FRAMES it lies in; the last may be shorter."""
    means = graph.AveragePool(
        x, kernel_shape=[CONTEXT_FRAMES], strides=[CONTEXT_FRAMES], ceil_mode=1, count_include_pad=0
    )
    repeated = graph.Tile(graph.Unsqueeze(means, numpy.array([3])), numpy.array([1, 1, 1, CONTEXT_FRAMES]))
    flat = graph.Reshape(repeated, numpy.array([0, 0, -1]))
    frames = graph.Slice(graph.Shape(x), numpy.array([2]), numpy.array([3]))
    return graph.Slice(flat, numpy.array([0]), frames, numpy.array([2]))


def mean_and_deviation(graph, x):
    """[N, C, T] → [N, 2 C, 1]; the deviation is the unbiased one."""
    mean = graph.ReduceMean(x, axes=[2], keepdims=1)
    frames = graph.Cast(graph.Slice(graph.Shape(x), numpy.array([2]), numpy.array([3])), to=1)
    others = graph.Max(graph.Sub(frames, numpy.float32([1])), numpy.float32([1]))
    squares = graph.ReduceSumSquare(graph.Sub(x, mean), axes=[2], keepdims=1)
    return graph.Concat(mean, graph.Sqrt(graph.Div(squares, others)), axis=1)
