"""A little notation for building ONNX graphs layer by layer."""

from functools import partial

import numpy
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference

OPSET = 17
# Readable by every ONNX Runtime of the last years, also older ones than ours.
IR_VERSION = 8
BATCH_NORM_EPSILON = 1e-5


class Graph:
    """Collects nodes and weights; every operator is a method: `graph.Relu(x)` returns its output's name."""

    def __init__(self):
        self.nodes = []
        self.weights = {}

    def __getattr__(self, operator):
        if not operator[0].isupper():
            raise AttributeError(operator)
        return partial(self.node, operator)

    def node(self, operator, *inputs, **attributes):
        """Arrays among the inputs become weights of the graph."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        output = attributes.pop("output", f"n{len(self.nodes)}")
        self.nodes.append(helper.make_node(operator, names, [output], **attributes))
        return output

    def constant(self, value):
        array = numpy.asarray(value)
        if array.dtype == numpy.float64:
            array = array.astype(numpy.float32)
        name = f"w{len(self.weights)}"
        self.weights[name] = numpy_helper.from_array(numpy.ascontiguousarray(array), name)
        return name

    def batch_norm(self, x, weights, prefix):
        """In inference a batch norm is one factor and one summand per channel; axis 1 holds the channels."""
        deviation = numpy.sqrt(weights[f"{prefix}.running_var"] + BATCH_NORM_EPSILON)
        scale = weights.get(f"{prefix}.weight", numpy.float32(1)) / deviation
        shift = weights.get(f"{prefix}.bias", numpy.float32(0)) - weights[f"{prefix}.running_mean"] * scale
        zeros = numpy.zeros_like(scale)
        return self.BatchNormalization(x, scale, shift, zeros, zeros + 1, epsilon=0.0)

    def model(self, name, inputs, outputs, metadata):
        """`inputs` and `outputs`: {name: shape}, a string in a shape being a free dimension."""
        value = lambda item: helper.make_tensor_value_info(item[0], TensorProto.FLOAT, item[1])
        graph = helper.make_graph(
            self.nodes,
            name,
            [value(item) for item in inputs.items()],
            [value(item) for item in outputs.items()],
            list(self.weights.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="currawong")
        model.ir_version = IR_VERSION
        helper.set_model_props(model, {key: str(text) for key, text in metadata.items()})
        checker.check_model(model)
        return shape_inference.infer_shapes(model)
