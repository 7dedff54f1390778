"""LanceDB in this process: hybrid search, that is full text (BM25) and vectors, fused by reciprocal rank.

As its manual advises: always a full-text index, an approximate vector index (the default one) from 100,000 rows, none
below; compacted after a load.
"""
import lancedb
import pyarrow
from lancedb.index import FTS, IvfPq
from lancedb.rerankers import RRFReranker
from protocol import DIMENSIONS, main

APPROXIMATE_FROM = 100_000
SCHEMA = pyarrow.schema([
    ("id", pyarrow.string()),
    ("session", pyarrow.string()),
    ("text", pyarrow.string()),
    ("vector", pyarrow.list_(pyarrow.float32(), DIMENSIONS)),
])


class LanceDb:
    name, batch = "lancedb", 5_000

    def __init__(self, folder, embedder):
        self.embedder, self.base, self.open = embedder, lancedb.connect(folder), {}
        self.fusion = RRFReranker()

    def table(self, name):
        if name not in self.open:
            self.open[name] = self.base.create_table(name, schema=SCHEMA, exist_ok=True)
        return self.open[name]

    def ingest(self, collection, records):
        rows = self.embedder.embed([record["text"] for record in records])
        self.table(collection).add([{**record, "vector": row} for record, row in zip(records, rows)])

    def settle(self, collection):
        table = self.table(collection)
        table.optimize()
        table.create_index("text", config=FTS(), replace=True)
        if table.count_rows() >= APPROXIMATE_FROM:
            table.create_index("vector", config=IvfPq(distance_type="cosine"))

    def search(self, collection, question, limit):
        vector = self.embedder.embed([question])[0]
        query = self.table(collection).search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
        query = query.vector(vector).text(question).distance_type("cosine").rerank(self.fusion)
        return query.select(["id"]).limit(limit).to_arrow().column("id").to_pylist()

    def close(self):
        self.open = {}


if __name__ == "__main__":
    main(LanceDb)
