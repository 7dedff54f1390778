"""mem0ai: `Memory` with its default vector store (Qdrant in this process, on disk), `infer=False`, so no language model.

Its keyword arm (BM25, an extra) is on: its stopwords, which would come from a hub, are written here. Its entity arm needs
a language model of spaCy from a hub, and is off.
"""
import os
from pathlib import Path

from fastembed import SparseTextEmbedding
from mem0 import Memory
from protocol import DIMENSIONS, main


STOPWORDS = """a about after all also am an and any are as at be because been before being between both but by can could
did do does doing down during each few for from further had has have having he her here hers him his how i if in into is
it its just me more most my no nor not now of off on once only or other our out over own same she should so some such than
that the their them then there these they this those through to too under until up very was we were what when where which
while who whom why will with would you your""".split()


class GivenModel:
    """In the place of mem0's own embedding client."""

    def __init__(self, embedder):
        self.embedder = embedder

    def embed(self, text, memory_action=None):
        return self.embedder.embed([text])[0].tolist()

    def embed_batch(self, texts, memory_action=None):
        return self.embedder.embed(texts).tolist()


class Mem0:
    name, batch = "mem0ai", 100

    def __init__(self, folder, embedder):
        os.environ.setdefault("OPENAI_API_KEY", "never used")
        store = {"path": str(Path(folder) / "qdrant"), "embedding_model_dims": DIMENSIONS, "on_disk": True}
        self.memory = Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": {"collection_name": "memories", **store}},
            "history_db_path": str(Path(folder) / "history.db"),
        })
        self.memory.embedding_model = GivenModel(embedder)
        self.memory.vector_store._bm25_encoder = SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=folder, stopwords=set(STOPWORDS)
        )

    def ingest(self, collection, records):
        for record in records:
            self.memory.add(
                [{"role": "user", "content": record["text"]}],
                user_id=collection,
                metadata={"name": record["id"], "session": record["session"]},
                infer=False,
            )

    def settle(self, collection):
        """Nothing: an `add` that returned is committed and is searched."""

    def search(self, collection, question, limit):
        found = self.memory.search(question, top_k=limit, filters={"user_id": collection}, threshold=0.0)
        return [one["metadata"]["name"] for one in found["results"]]

    def close(self):
        self.memory.close()


if __name__ == "__main__":
    main(Mem0)
