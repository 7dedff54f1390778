"""``LociMemoryManager``: Strands' ``MemoryManager`` with ``consolidate``, the upkeep of the documents of its stores.

Without Strands it is a manager of stores alone, for programs that only keep documents in order.
"""

from __future__ import annotations

from typing import Any, Sequence

try:
    from strands.memory import MemoryManager as _Manager
except ImportError:

    class _Manager:  # type: ignore[no-redef]
        def __init__(self, stores: Sequence[Any], **_: Any) -> None:
            if not stores:
                raise ValueError("MemoryManager: at least one store is required")


class LociMemoryManager(_Manager):
    """Strands' manager, with the same arguments."""

    def __init__(self, stores: Sequence[Any], **options: Any) -> None:
        super().__init__(list(stores), **options)
        self._consolidated = list(stores)

    async def consolidate(self, *, apply: bool = False, **start: Any) -> dict[str, Any]:
        """Plans the upkeep of the documents of every writable store that keeps some, or does it with ``apply``. Returns a run, or the
        error of a store that failed, by name of the store: one that fails stops no other."""
        runs: dict[str, Any] = {}
        for store in self._consolidated:
            if not store.writable or not callable(getattr(store, "consolidate", None)):
                continue
            try:
                runs[store.name] = await store.consolidate(apply=apply, **start)
            except Exception as error:  # noqa: BLE001 - stores are isolated from each other
                runs[store.name] = error
        return runs
