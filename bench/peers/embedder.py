"""all-MiniLM-L6-v2 (fp32, ONNX Runtime) as every peer is given it, and the clock that keeps its time apart.

A long text is embedded as Loci embeds it (windows of 254 tokens that overlap by 32, the mean of their unit vectors): the
peers' own default would cut it after 256 tokens, which finds less.
"""
import time
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

DIMENSIONS, WINDOW, OVERLAP, BATCH = 384, 254, 32, 32
START, END = 101, 102


class Embedder:
    """Texts to unit vectors. `seconds` counts the time spent here; `known` maps texts to vectors made before."""

    def __init__(self, directory, known=None):
        directory = Path(directory)
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(directory / "model.onnx", options, ["CPUExecutionProvider"])
        self.known, self.seconds = known or {}, 0.0

    def embed(self, texts):
        """Rows of 384, in order."""
        began = time.perf_counter()
        rows = self._rows(texts)
        self.seconds += time.perf_counter() - began
        return rows

    def _rows(self, texts):
        rows = [self.known.get(text) for text in texts]
        missing = [place for place, row in enumerate(rows) if row is None]
        if missing:
            made = self._made([texts[place] for place in missing])
            for place, row in zip(missing, made):
                rows[place] = row
        return np.asarray(rows, dtype=np.float32)

    def _made(self, texts):
        windows = []
        for place, encoded in enumerate(self.tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            ids, start = encoded.ids, 0
            while True:
                windows.append((place, ids[start : start + WINDOW]))
                if start + WINDOW >= len(ids):
                    break
                start += WINDOW - OVERLAP
        windows.sort(key=lambda window: len(window[1]))
        sums = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for first in range(0, len(windows), BATCH):
            self._add(windows[first : first + BATCH], sums)
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    def _add(self, windows, sums):
        """Adds each window's unit vector to its text's sum; the norm at the end makes the mean of it."""
        longest = max(len(ids) for _, ids in windows) + 2
        ids = np.zeros((len(windows), longest), dtype=np.int64)
        mask = np.zeros((len(windows), longest), dtype=np.int32)
        for row, (_, window) in enumerate(windows):
            ids[row, : len(window) + 2] = [START, *window, END]
            mask[row, : len(window) + 2] = 1
        places = np.broadcast_to(np.arange(longest, dtype=np.int64), ids.shape).copy()
        hidden = self.session.run(None, {"ids": ids, "places": places, "mask": mask})[0]
        vectors = (hidden * mask[:, :, None]).sum(1)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        for row, (place, _) in enumerate(windows):
            sums[place] += vectors[row]
