"""What every peer is asked, in the same words: start, ingest, search. `bench/src/peers` starts it and keeps the clock of
whole processes; the clock of single calls is here, so that no pipe is measured.

A peer is a class with `name`, `batch`, `__init__(folder, embedder)`, `ingest(collection, records)`, `settle(collection)`
(whatever its manual asks for before searching), `search(collection, question, limit)` (ids, best first) and `close()`.
A record is a dict of `id`, `session`, `text`. Answers are JSON lines on standard output; the network is not there.
"""
import argparse
import json
import os
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np
from embedder import DIMENSIONS, Embedder

FOUND_MAX, SCALE_LIMIT = 50, 10
SCALE = "scale"
PROGRESS_SECONDS = 2.0


def main(peer_class):
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    arguments = parse()

    def answer(**members):
        print(json.dumps(members), file=answers, flush=True)

    embedder = Embedder(arguments.model)
    peer = peer_class(arguments.folder, embedder)
    {"quality": quality, "fill": fill, "serve": serve}[arguments.phase](peer, embedder, arguments, answer)
    peer.close()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("phase", choices=["quality", "fill", "serve"])
    parser.add_argument("--model", required=True, help="folder of model.onnx and tokenizer.json")
    parser.add_argument("--folder", required=True, help="where the peer keeps its store")
    parser.add_argument("--work", required=True, help="JSON lines: conversations, texts or questions")
    parser.add_argument("--count", type=int, default=0, help="texts to ingest")
    parser.add_argument("--vectors", help="f32 rows of the texts: the model is not asked")
    parser.add_argument("--limit-seconds", type=float, default=float("inf"))
    parser.add_argument("--cache", help="vectors of texts seen before (quality only: nothing is timed there)")
    return parser.parse_args()


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def batches(items, size):
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def quality(peer, embedder, arguments, answer):
    """A collection per conversation; prints the ids found for each question."""
    conversations = list(lines(arguments.work))
    embedder.known = cached(arguments.cache, conversations, embedder, answer)
    for number, conversation in enumerate(conversations):
        collection = f"conversation-{number}"
        for batch in batches(conversation["records"], peer.batch):
            peer.ingest(collection, batch)
        peer.settle(collection)
        for place, question in enumerate(conversation["questions"]):
            found = peer.search(collection, question, FOUND_MAX)
            answer(conversation=number, question=place, found=found)
        answer(progress=number + 1, of=len(conversations))


def cached(path, conversations, embedder, answer):
    """Vectors of all texts and questions, kept in a file for the next peer."""
    path = Path(path)
    known = {}
    if path.exists():
        with np.load(path, allow_pickle=False) as kept:
            known = dict(zip(json.loads(str(kept["texts"])), kept["rows"]))
    wanted = [text for one in conversations for text in [*(r["text"] for r in one["records"]), *one["questions"]]]
    missing = [text for text in dict.fromkeys(wanted) if text not in known]
    done = 0
    for batch in batches(missing, 256):
        known.update(zip(batch, embedder.embed(batch)))
        done += len(batch)
        answer(progress=done, of=len(missing), embedding=True)
    if missing:
        np.savez(path, texts=json.dumps(list(known)), rows=np.stack(list(known.values())))
    return known


def fill(peer, embedder, arguments, answer):
    """One collection of `count` texts, or what fits into the time."""
    texts = islice(lines(arguments.work), arguments.count)
    rows = open(arguments.vectors, "rb") if arguments.vectors else None
    began, done, shown = time.perf_counter(), 0, 0.0
    for batch in batches(texts, peer.batch):
        if rows:
            made = np.fromfile(rows, dtype="<f4", count=len(batch) * DIMENSIONS).reshape(-1, DIMENSIONS)
            began += given(embedder, batch, made)
        peer.ingest(SCALE, [{"id": f"r{done + at}", "session": "s", "text": text} for at, text in enumerate(batch)])
        done += len(batch)
        seconds = time.perf_counter() - began
        if seconds - shown > PROGRESS_SECONDS:
            shown = seconds
            answer(progress=done, of=arguments.count)
        if seconds > arguments.limit_seconds:
            break
    peer.settle(SCALE)
    seconds = time.perf_counter() - began
    answer(records=done, seconds=seconds, embedding_seconds=embedder.seconds, resident_bytes=resident())


def given(embedder, texts, rows):
    """Hands the batch's vectors to the embedder; the time that took, which is not the peer's."""
    began = time.perf_counter()
    embedder.known = dict(zip(texts, rows / np.linalg.norm(rows, axis=1, keepdims=True)))
    return time.perf_counter() - began


def serve(peer, embedder, arguments, answer):
    """First answer on the store that is there, then every question once."""
    questions = list(lines(arguments.work))
    peer.search(SCALE, questions[0], SCALE_LIMIT)
    answer(first=True)
    calls, found = [], 0
    until = time.perf_counter() + arguments.limit_seconds
    for question in questions[1:]:
        embedder.seconds, began = 0.0, time.perf_counter()
        found += len(peer.search(SCALE, question, SCALE_LIMIT))
        calls.append([time.perf_counter() - began, embedder.seconds])
        if time.perf_counter() > until:
            break
    answer(calls=calls, found=found / len(calls), resident_bytes=resident())


def resident():
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024
