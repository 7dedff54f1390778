"""How what Strands gives is written for the server: messages as parts of events, and metadata. It calls nothing."""

from __future__ import annotations

import json
import math
from typing import Any, Iterator, Mapping, Sequence

#: The server's limit of parts of an event.
_PARTS_MAX = 100


def batches(
    numbers: Sequence[int | None], messages: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int | None, int | None, list[dict[str, Any]]]]:
    """Events: the numbers of the first and the last message of each, and its parts. A message is never in two."""
    first: int | None = None
    last: int | None = None
    payload: list[dict[str, Any]] = []
    for number, message in zip(numbers, messages, strict=True):
        parts = _parts(message)
        if payload and len(payload) + len(parts) > _PARTS_MAX:
            yield first, last, payload
            payload = []
        if parts:
            first = first if payload else number
            last = number
            payload = payload + parts
    if payload:
        yield first, last, payload


def _parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The text of a message as it was said, and calls of tools as evidence that strategies do not read."""
    blocks = message.get("content", [])
    text = "\n".join(said for block in blocks if (said := str(block.get("text", "")).strip()))
    role = message.get("role")
    parts: list[dict[str, Any]] = []
    if text and role in ("user", "assistant"):
        parts.append({"message": {"role": role, "text": text}})
    for block in blocks:
        if "toolUse" in block:
            parts.append({"blob": {"toolUse": block["toolUse"]}})
        elif "toolResult" in block:
            result = block["toolResult"]
            plain = [one for one in result.get("content", []) if "text" in one or "json" in one]
            parts.append({"blob": {"toolResult": {**result, "content": plain}}})
    return parts


def checked_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Texts, lists of texts and numbers as they are, the rest as JSON. Refuses what would not be what it was."""
    checked: dict[str, Any] = {}
    # In one order: the same metadata are the same write.
    for key, value in sorted(metadata.items()):
        if key.startswith("_"):
            raise ValueError(f"LociMemoryStore: metadata key '{key}' begins with _, which is kept for the store's own")
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is None or (is_number and not math.isfinite(value)):
            raise ValueError(f"LociMemoryStore: metadata '{key}' is no value that can be kept: {value}")
        is_texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        is_kept = is_number or is_texts or isinstance(value, str)
        checked[key] = value if is_kept else json.dumps(value, sort_keys=True)
    return checked
