"""LangGraph's long-term memory: `SqliteStore` with an index. Its search is by vectors (every row, by sqlite-vec).

Python may have been built without loadable extensions, which that store needs: then `pysqlite3` takes the place of
`sqlite3`.
"""
import sqlite3
import sys
from pathlib import Path

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    import pysqlite3 as sqlite3

    sys.modules["sqlite3"] = sqlite3

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore
from protocol import DIMENSIONS, main


class LangGraph:
    name, batch = "langgraph", 1_000

    def __init__(self, folder, embedder):
        # As `SqliteStore.from_conn_string` connects; that is a context manager, which a peer is not.
        self.connection = sqlite3.connect(Path(folder) / "store.db", check_same_thread=False, isolation_level=None)
        embed = lambda texts: embedder.embed(texts).tolist()
        self.store = SqliteStore(self.connection, index={"dims": DIMENSIONS, "embed": embed})
        self.store.setup()

    def ingest(self, collection, records):
        self.store.batch([
            PutOp((collection,), record["id"], {"text": record["text"], "session": record["session"]}, index=["text"])
            for record in records
        ])

    def settle(self, collection):
        """Nothing: a batch that returned is committed and is searched."""

    def search(self, collection, question, limit):
        return [item.key for item in self.store.search((collection,), query=question, limit=limit)]

    def close(self):
        self.connection.close()


if __name__ == "__main__":
    main(LangGraph)
