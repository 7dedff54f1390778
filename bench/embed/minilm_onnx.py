"""all-MiniLM-L6-v2 as an ONNX graph from its published safetensors, and its int8 copy as ONNX Runtime's users make it.

The graph is that of an export, one node per operation, which the runtime fuses as far as it can. It takes `input_ids` and
`attention_mask`, (texts, tokens) in int64, and gives `rows`, (texts, tokens, 384) in fp32. No framework is needed. The same
model written with the runtime's own fused operations (attention, normalisation, GELU) was not faster there.
"""
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

LAYERS, HIDDEN, HEADS, HEAD = 6, 384, 12, 32
EPSILON = 1e-12


class Graph:
    """Nodes and constants, collected in order."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants, self.count = weights, [], [], 0

    def constant(self, values, name=None):
        self.count += 1
        name = name or f"constant_{self.count}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, name, transposed=False):
        values = self.weights[name]
        return self.constant(values.T if transposed else values, name)

    def node(self, kind, inputs, **attributes):
        self.count += 1
        name = f"{kind}_{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def linear(self, x, name):
        product = self.node("MatMul", [x, self.weight(name + ".weight", transposed=True)])
        return self.node("Add", [product, self.weight(name + ".bias")])

    def norm(self, x, name):
        scale, shift = self.weight(name + ".weight"), self.weight(name + ".bias")
        return self.node("LayerNormalization", [x, scale, shift], axis=-1, epsilon=EPSILON)

    def gelu(self, x):
        error = self.node("Erf", [self.node("Div", [x, self.constant(np.float32(math.sqrt(2)))])])
        scaled = self.node("Mul", [x, self.node("Add", [error, self.constant(np.float32(1))])])
        return self.node("Mul", [scaled, self.constant(np.float32(0.5))])

    def heads(self, x, at, part, order):
        shape = self.constant(np.array([0, 0, HEADS, HEAD], np.int64))
        split = self.node("Reshape", [self.linear(x, f"{at}attention.self.{part}"), shape])
        return self.node("Transpose", [split], perm=order)

    def attention(self, x, at, bias):
        query = self.heads(x, at, "query", [0, 2, 1, 3])
        key = self.heads(x, at, "key", [0, 2, 3, 1])
        value = self.heads(x, at, "value", [0, 2, 1, 3])
        scores = self.node("Div", [self.node("MatMul", [query, key]), self.constant(np.float32(math.sqrt(HEAD)))])
        shares = self.node("Softmax", [self.node("Add", [scores, bias])], axis=-1)
        joined = self.node("Transpose", [self.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        return self.node("Reshape", [joined, self.constant(np.array([0, 0, HIDDEN], np.int64))])


def build(weights):
    """The fp32 model."""
    g = Graph(weights)
    ids, mask = "input_ids", "attention_mask"
    words = g.node("Gather", [g.weight("embeddings.word_embeddings.weight"), ids])
    length = g.node("Shape", [ids], start=1, end=2)
    start = g.constant(np.array([0], np.int64))
    own = g.node("Slice", [g.weight("embeddings.position_embeddings.weight"), start, length, start])
    kind = g.constant(weights["embeddings.token_type_embeddings.weight"][0])
    x = g.norm(g.node("Add", [g.node("Add", [words, kind]), own]), "embeddings.LayerNorm")
    axes = g.constant(np.array([1, 2], np.int64))
    kept = g.node("Unsqueeze", [g.node("Cast", [mask], to=TensorProto.FLOAT), axes])
    hidden = g.node("Mul", [g.node("Sub", [g.constant(np.float32(1)), kept]), g.constant(np.float32(-10000))])
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        joined = g.linear(g.attention(x, at, hidden), at + "attention.output.dense")
        x = g.norm(g.node("Add", [joined, x]), at + "attention.output.LayerNorm")
        narrow = g.linear(g.gelu(g.linear(x, at + "intermediate.dense")), at + "output.dense")
        x = g.norm(g.node("Add", [narrow, x]), at + "output.LayerNorm")
    g.nodes.append(helper.make_node("Identity", [x], ["rows"]))
    shape = ["texts", "tokens"]
    graph = helper.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in (ids, mask)],
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [*shape, HIDDEN])],
        g.constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write(weights, directory):
    """Writes the model in fp32 and in dynamic per-tensor int8; gives back both paths."""
    fp32, int8 = directory / "minilm-fp32.onnx", directory / "minilm-int8.onnx"
    onnx.save(build(weights), fp32)
    quantize_dynamic(fp32, int8, weight_type=QuantType.QInt8)
    return fp32, int8
