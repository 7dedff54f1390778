"""Writes a tiny encoder with random weights, its tokenizer, and the vectors it must give: encoder.onnx, tokenizer.json and
expected.json beside this file. The vectors are computed here, in numpy, without any runtime of ONNX.

    pip install numpy==2.4.6 onnx==1.23.2 && python encoder.py

One layer of BERT: word, position and kind embeddings, attention with two heads, a narrow network with GELU, normalisations.
It takes `input_ids`, `attention_mask` and `token_type_ids`, (texts, tokens) in int64, and gives `last_hidden_state`.
"""
import json
import math
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, HEADS, HEAD, INNER, TOKENS_MAX = 16, 2, 8, 32, 12
EPSILON = 1e-12
HERE = pathlib.Path(__file__).parent
WORDS = (
    "[PAD] [UNK] [CLS] [SEP] the a boat ship lies in harbour of largs cat sleeps on oven where does what is master keeps "
    "heron bird one two three four five ##s ##ing ."
).split()
TEXTS = [
    "The boat lies in the harbour.",
    "A cat sleeps on the oven.",
    "Boats",
    "",
    "one two three four five one two three four five the boat lies in harbour of largs",
    "where does the zebra sleeping",
]


def weights():
    """Random, the same every time."""
    random = np.random.default_rng(4)
    made = {}

    def add(name, *shape, around=0.0, wide=0.25):
        made[name] = (around + random.normal(0, wide, shape)).astype(np.float32)

    add("words", len(WORDS), HIDDEN, wide=1.0)
    add("positions", TOKENS_MAX, HIDDEN, wide=0.3)
    add("kinds", 2, HIDDEN)
    for name, rows, columns in [
        ("query", HIDDEN, HIDDEN), ("key", HIDDEN, HIDDEN), ("value", HIDDEN, HIDDEN), ("joined", HIDDEN, HIDDEN),
        ("wide", HIDDEN, INNER), ("narrow", INNER, HIDDEN),
    ]:
        add(name, rows, columns)
        add(name + "_bias", columns)
    for name in ["first", "second", "third"]:
        add(name + "_scale", HIDDEN, around=1.0)
        add(name + "_shift", HIDDEN)
    return made


class Graph:
    """Nodes and constants, collected in order."""

    def __init__(self, given):
        self.given, self.nodes, self.constants = given, [], []

    def constant(self, values):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weight(self, name):
        return self.constant(self.given[name])

    def node(self, kind, inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"make_{name}", **attributes))
        return name

    def linear(self, x, name):
        return self.node("Add", [self.node("MatMul", [x, self.weight(name)]), self.weight(name + "_bias")])

    def norm(self, x, name):
        inputs = [x, self.weight(name + "_scale"), self.weight(name + "_shift")]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=EPSILON)

    def heads(self, x, name, order):
        shape = self.constant(np.array([0, 0, HEADS, HEAD], np.int64))
        return self.node("Transpose", [self.node("Reshape", [self.linear(x, name), shape])], perm=order)


def build(given):
    g = Graph(given)
    ids, mask, kinds = "input_ids", "attention_mask", "token_type_ids"
    length = g.node("Shape", [ids], start=1, end=2)
    start = g.constant(np.array([0], np.int64))
    place = g.node("Slice", [g.weight("positions"), start, length, start])
    words = g.node("Add", [g.node("Gather", [g.weight("words"), ids]), place])
    x = g.norm(g.node("Add", [words, g.node("Gather", [g.weight("kinds"), kinds])]), "first")
    kept = g.node("Unsqueeze", [g.node("Cast", [mask], to=TensorProto.FLOAT), g.constant(np.array([1, 2], np.int64))])
    hidden = g.node("Mul", [g.node("Sub", [g.constant(np.float32(1)), kept]), g.constant(np.float32(-10000))])
    scores = g.node("MatMul", [g.heads(x, "query", [0, 2, 1, 3]), g.heads(x, "key", [0, 2, 3, 1])])
    scores = g.node("Div", [scores, g.constant(np.float32(math.sqrt(HEAD)))])
    shares = g.node("Softmax", [g.node("Add", [scores, hidden])], axis=-1)
    mixed = g.node("Transpose", [g.node("MatMul", [shares, g.heads(x, "value", [0, 2, 1, 3])])], perm=[0, 2, 1, 3])
    mixed = g.node("Reshape", [mixed, g.constant(np.array([0, 0, HIDDEN], np.int64))])
    x = g.norm(g.node("Add", [g.linear(mixed, "joined"), x]), "second")
    wide = g.linear(x, "wide")
    error = g.node("Erf", [g.node("Div", [wide, g.constant(np.float32(math.sqrt(2)))])])
    wide = g.node("Mul", [wide, g.node("Add", [error, g.constant(np.float32(1))])])
    wide = g.node("Mul", [wide, g.constant(np.float32(0.5))])
    x = g.norm(g.node("Add", [g.linear(wide, "narrow"), x]), "third")
    g.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    shape = ["texts", "tokens"]
    graph = helper.make_graph(
        g.nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in (ids, mask, kinds)],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, HIDDEN])],
        g.constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def tokenizer():
    special = [
        {"id": at, "content": WORDS[at], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for at in range(4)
    ]
    template = lambda kind: {"SpecialToken": {"id": kind, "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": TOKENS_MAX, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": TOKENS_MAX}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [template("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, template("[SEP]")],
            "pair": [template("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, template("[SEP]"), {"Sequence": {"id": "B", "type_id": 1}}, template("[SEP]")],
            "special_tokens": {kind: {"id": kind, "ids": [WORDS.index(kind)], "tokens": [kind]} for kind in ("[CLS]", "[SEP]")},
        },
        "decoder": None,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {word: at for at, word in enumerate(WORDS)}},
    }


def ids_of(text):
    """WordPiece on plain words, a full stop apart."""
    found = []
    for word in text.lower().replace(".", " .").split():
        pieces, rest = [], word
        while rest:
            begin = rest if not pieces else "##" + rest
            known = [end for end in range(len(begin), len(begin) - len(rest), -1) if begin[:end] in WORDS]
            if not known:
                pieces, rest = ["[UNK]"], ""
                break
            piece = begin[:known[0]]
            pieces.append(piece)
            rest = rest[len(piece) - (2 if piece.startswith("##") else 0):]
        found += [WORDS.index(piece) for piece in pieces]
    return found


def windows(ids):
    """Twelve with [CLS] and [SEP], one of them shared with the one before."""
    room, shared = TOKENS_MAX - 2, TOKENS_MAX // 8
    starts, cut = 0, []
    while True:
        cut.append(ids[starts:starts + room])
        if starts + room >= len(ids):
            return [[WORDS.index("[CLS]"), *part, WORDS.index("[SEP]")] for part in cut]
        starts += room - shared


def rows(given, ids):
    """Forward, in double precision."""
    w = {name: values.astype(np.float64) for name, values in given.items()}
    linear = lambda x, name: x @ w[name] + w[name + "_bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + EPSILON) * w[name + "_scale"] + w[name + "_shift"]

    x = norm(w["words"][ids] + w["positions"][:len(ids)] + w["kinds"][0], "first")
    split = lambda name: linear(x, name).reshape(len(ids), HEADS, HEAD).transpose(1, 0, 2)
    scores = split("query") @ split("key").transpose(0, 2, 1) / math.sqrt(HEAD)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    mixed = (shares @ split("value")).transpose(1, 0, 2).reshape(len(ids), HIDDEN)
    x = norm(linear(mixed, "joined") + x, "second")
    wide = linear(x, "wide")
    wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    return norm(linear(wide, "narrow") + x, "third")


def unit(vector):
    return vector / np.linalg.norm(vector)


def main():
    given = weights()
    model = build(given)
    onnx.checker.check_model(model)
    onnx.save(model, HERE / "encoder.onnx")
    (HERE / "tokenizer.json").write_text(json.dumps(tokenizer(), indent=1) + "\n")
    expected = []
    for text in TEXTS:
        cut = windows(ids_of(text))
        hidden = [rows(given, ids) for ids in cut]
        pooled = lambda pool, some: [float(f"{x:.7f}") for x in unit(sum(unit(pool(part)) for part in some))]
        mean, cls = (lambda part: part.mean(0)), (lambda part: part[0])
        ends = [hidden[0], hidden[-1]] if len(hidden) > 1 else hidden
        expected.append({
            "text": text, "ids": cut, "mean": pooled(mean, hidden), "cls": pooled(cls, hidden), "question": pooled(mean, ends),
        })
    lines = ",\n".join(json.dumps(one) for one in expected)
    (HERE / "expected.json").write_text(f"[\n{lines}\n]\n")


main()
