"""The built-in model beside ONNX Runtime on the same published weights, in one run, one thread each.

`cargo xtask bench embed --peer onnxruntime` starts it; on its own it needs `requirements-peer.txt`, the published model's
folder, a folder to write graphs to, and the `embed` example. Rounds are interleaved: in each, every engine does the same
work once. ONNX Runtime gets ready ids, one intra-op and one inter-op thread, and its best batch size of 1, 8, 16, 32 and 64,
texts of equal length together; pooling is not on its clock. Ours gets strings: tokenising, batching and pooling are on its
clock. Vectors of both are compared with fp32 NumPy. It fails when ours is the slower one of the two int8 engines.
"""
import argparse
import json
import logging
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).parent))
import minilm_onnx
from check import Reference

WORDS = """the a of to and in for with on at from after before when she he they we it was is has had moved wrote said asked
found lost harbour ferry letter archive garden window meeting budget server index release branch commit memory question
answer morning evening March Lisbon Largs Alice Bob boat engine bread water music report deadline customer invoice please
remember never always quickly quietly seven twelve blue green broken open closed early late""".split()


def sentence(reference, rng, least, most):
    """Words until the ids, `[CLS]` and `[SEP]` included, are within `least` and `most`."""
    words = []
    while True:
        words.append(rng.choice(WORDS))
        count = len(reference.ids(" ".join(words))) + 2
        if count >= least:
            if count <= most:
                return " ".join(words)
            words = []


class Ours:
    def __init__(self, program, kernels=None):
        self.process = subprocess.Popen([program, "rounds"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.all = json.loads(self.process.stdout.readline())
        self.kernels = kernels or self.all[-1]
        # Linux: the clock of another process's processor time.
        self.clock = (~self.process.pid) << 3 | 2

    def measure(self, texts, calls):
        before = time.clock_gettime(self.clock)
        self.process.stdin.write(json.dumps({"kernels": self.kernels, "calls": calls, "texts": texts}) + "\n")
        self.process.stdin.flush()
        walls = json.loads(self.process.stdout.readline())
        return walls, (time.clock_gettime(self.clock) - before) * 1e3 / calls


class Onnx:
    def __init__(self, path, reference):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.reference, self.batch = reference, 1

    def batches(self, texts):
        ids = sorted(([101, *self.reference.ids(text), 102] for text in texts), key=len)
        for start in range(0, len(ids), self.batch):
            part = ids[start : start + self.batch]
            width = len(part[-1])
            padded = np.array([own + [0] * (width - len(own)) for own in part], np.int64)
            mask = np.array([[1] * len(own) + [0] * (width - len(own)) for own in part], np.int64)
            yield {"input_ids": padded, "attention_mask": mask}

    def vector(self, text):
        self.batch = 1
        (inputs,) = self.batches([text])
        mean = self.session.run(None, inputs)[0][0].mean(0)
        return mean / np.linalg.norm(mean)

    def measure(self, texts, calls):
        batches, walls = list(self.batches(texts)), []
        own = time.process_time()
        for _ in range(calls):
            start = time.perf_counter()
            for inputs in batches:
                self.session.run(None, inputs)
            walls.append((time.perf_counter() - start) * 1e3)
        return walls, (time.process_time() - own) * 1e3 / calls

    def choose_batch(self, texts):
        def cost(batch):
            self.batch = batch
            return min(self.measure(texts, 1)[1] for _ in range(2))

        self.batch = min((1, 8, 16, 32, 64), key=cost)


def run_rounds(engines, work, rounds):
    """Per engine: milliseconds per text of every call, and of processor time of every round."""
    found = {name: ([], []) for name in engines}
    for _ in range(rounds):
        for name, (engine, share) in engines.items():
            walls, own = engine.measure(work, max(1, round(20 * share)) if len(work) == 1 else 1)
            found[name][0].extend(wall / len(work) for wall in walls)
            found[name][1].append(own / len(work))
    return found


def print_table(title, found, peer):
    """Gives back how many times faster than the peer each is, by processor time: other programs do not change that."""
    print(f"\n| {title} | median, ms | least, ms | processor time, median | {peer} takes |\n|---|---|---|---|---|")
    base, ratios = np.median(found[peer][1]), {}
    for name, (walls, own) in found.items():
        ratios[name] = base / np.median(own)
        cells = f"{np.median(walls):.2f} | {min(walls):.2f} | {np.median(own):.2f} | {ratios[name]:.2f} ×"
        print(f"| {name} | {cells} |")
    return ratios


def fidelity(reference, texts, engines):
    expected = [reference.embed(text) for text in texts]
    print("\n| cosine with fp32 | mean | least |\n|---|---|---|")
    for name, vectors in engines.items():
        cosines = [float(own @ wanted) for own, wanted in zip(vectors, expected, strict=True)]
        print(f"| {name} | {np.mean(cosines):.4f} | {min(cosines):.4f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("program", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    onnxruntime.set_default_logger_severity(3)
    reference, rng = Reference(arguments.model), random.Random(16)
    one = [sentence(reference, rng, 16, 16)]
    many = [sentence(reference, rng, 60, 68) for _ in range(64)]
    fp32, int8 = (Onnx(path, reference) for path in minilm_onnx.write(reference.weights, arguments.work))
    ours = Ours(arguments.program)
    fastest, peer = f"Loci, {ours.kernels}", "ONNX Runtime int8"
    others = {f"Loci, {name}": (Ours(arguments.program, name), 0.2) for name in reversed(ours.all[1:-1])}
    texts = one + many
    lines = "".join(json.dumps(text) + "\n" for text in texts).encode()
    asked = subprocess.run([arguments.program, "vectors"], input=lines, stdout=subprocess.PIPE, check=True).stdout
    own = np.frombuffer(asked, dtype="<f4").reshape(len(texts), 384)
    fidelity(reference, texts, {fastest: own, peer: [int8.vector(text) for text in texts]})
    slower = []
    for title, work in (("one sentence of 16 tokens", one), ("64 texts of 60 to 68 tokens, per text", many)):
        int8.choose_batch(work)
        fp32.batch = int8.batch
        engines = {fastest: (ours, 1), peer: (int8, 1), "ONNX Runtime fp32": (fp32, 0.5), **others}
        run_rounds(engines, work, 1)
        found = run_rounds(engines, work, arguments.rounds)
        found |= run_rounds({"Loci, portable": (Ours(arguments.program, "portable"), 0.05)}, work[:4], 1)
        ratios = print_table(title, found, peer)
        print(f"\nONNX Runtime {onnxruntime.__version__} ran batches of {min(int8.batch, len(work))}; {arguments.rounds} rounds.")
        if ratios[fastest] < 1:
            slower.append(title)
    raise SystemExit(f"slower than {peer}: {', '.join(slower)}" if slower else 0)


if __name__ == "__main__":
    main()
