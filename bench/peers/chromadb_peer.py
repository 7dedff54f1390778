"""chromadb: a persistent client in this process, cosine HNSW. Its local search is by vectors alone."""
import chromadb
from chromadb.api.types import EmbeddingFunction
from chromadb.config import Settings
from protocol import main


class GivenModel(EmbeddingFunction):
    def __init__(self, embedder):
        self.embedder = embedder

    def __call__(self, input):
        return list(self.embedder.embed(input))

    @staticmethod
    def name():
        return "given"

    def get_config(self):
        return {}

    @staticmethod
    def build_from_config(config):
        raise NotImplementedError("the store is always opened with the model in hand")


class Chroma:
    name, batch = "chromadb", 1_000

    def __init__(self, folder, embedder):
        self.client = chromadb.PersistentClient(folder, Settings(anonymized_telemetry=False))
        self.model, self.open = GivenModel(embedder), {}

    def collection(self, name):
        if name not in self.open:
            made = {"hnsw": {"space": "cosine"}}
            self.open[name] = self.client.get_or_create_collection(
                name, embedding_function=self.model, configuration=made
            )
        return self.open[name]

    def ingest(self, collection, records):
        self.collection(collection).add(
            ids=[record["id"] for record in records],
            documents=[record["text"] for record in records],
            metadatas=[{"session": record["session"]} for record in records],
        )

    def settle(self, collection):
        """Nothing: an `add` that returned is in the log and is searched."""

    def search(self, collection, question, limit):
        found = self.collection(collection).query(query_texts=[question], n_results=limit)
        return found["ids"][0]

    def close(self):
        self.open = {}


if __name__ == "__main__":
    main(Chroma)
