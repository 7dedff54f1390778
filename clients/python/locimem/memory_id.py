"""The id of a memory that is named by its name or its id, as people give it. It keeps nothing."""

from __future__ import annotations

from .client import Client
from .errors import NotFound


def memory_id(client: Client, named: str) -> str:
    """Asks for a name; an id is told from one by its hyphen, which no name has."""
    if "-" in named:
        return named
    found = client.memory_list(name=named)["memories"]
    if not found:
        raise NotFound("NOT_FOUND", f"there is no memory {named}", field="memory")
    return found[0]["id"]
