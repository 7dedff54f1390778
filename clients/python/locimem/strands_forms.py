"""The form in which messages and metadata of Strands go to the server: parts of events, and
metadata. It calls nothing."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

from .strands_options import refused

#: The server's limit of parts of an event.
_PARTS_MAX = 100
_KEYS_MAX = 15
_KEY_CHARS_MAX = 128
_VALUE_CHARS_MAX = 256
#: Characters of metadata on the wire; letters and digits of ASCII.
_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 \t\n\v\f\r._:/=+@-")
_ALLOWED_IN_WORDS = "letters, digits, white space and . _ : / = + @ -"

#: Returns the metadata of the event that a message goes into; neighbours with equal metadata share
#: one.
MetadataProvider = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


@dataclass
class EventForm:
    """One event: the numbers of its first and last message, where they have any, its parts and its
    metadata."""

    first: int | None
    last: int | None
    metadata: dict[str, str]
    payload: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0


def events_of(
    messages: Sequence[Mapping[str, Any]],
    numbers: Sequence[int | None],
    turns_max: int,
    metadata_provider: MetadataProvider | None,
) -> list[EventForm]:
    """Returns the events of a batch: neighbours with equal metadata, at most ``turns_max`` of them.
    A message is never in two."""
    made: list[EventForm] = []
    for number, message in zip(numbers, messages, strict=True):
        parts = _parts(message)
        if not parts:
            continue
        metadata = event_metadata(metadata_provider(message) if metadata_provider else None)
        event = made[-1] if made else None
        is_full = event is None or event.turns >= turns_max or len(event.payload) + len(parts) > _PARTS_MAX
        if event is None or is_full or event.metadata != metadata:
            event = EventForm(number, number, metadata)
            made.append(event)
        event.last = number
        event.turns += 1
        event.payload.extend(parts)
    return made


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


def event_metadata(metadata: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns metadata of an event as the wire takes it: at most 15 short texts of few
    characters."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise refused("metadata_provider must return a mapping, or None")
    if len(metadata) > _KEYS_MAX:
        raise refused(f"metadata must have at most {_KEYS_MAX} keys; found {len(metadata)}")
    return {key: _event_value(key, metadata[key]) for key in sorted(metadata, key=str)}


def _event_value(key: Any, value: Any) -> str:
    if not isinstance(key, str) or not 1 <= len(key) <= _KEY_CHARS_MAX:
        raise refused(f"metadata key '{key}' must be a string of 1 to {_KEY_CHARS_MAX} characters")
    if not _ALLOWED.issuperset(key):
        raise refused(f"metadata key '{key}' must hold only {_ALLOWED_IN_WORDS}")
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        raise refused(f"metadata '{key}' must not be None, NaN or infinity: leave the key out")
    if not isinstance(value, (str, bool, int, float)):
        raise refused(f"metadata '{key}' must be a text, a number or a truth value")
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) > _VALUE_CHARS_MAX:
        raise refused(f"the value of metadata '{key}' must have at most {_VALUE_CHARS_MAX} characters; it has {len(text)}")
    if not _ALLOWED.issuperset(text):
        raise refused(f"the value of metadata '{key}' must hold only {_ALLOWED_IN_WORDS}")
    return text


def checked_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Texts, lists of texts and numbers as they are, the rest as JSON. Refuses what would not be what it was."""
    checked: dict[str, Any] = {}
    # In one order: the same metadata are the same write.
    for key, value in sorted(metadata.items()):
        if key.startswith("_"):
            raise refused(f"metadata key '{key}' begins with _, which is kept for the store's own")
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is None or (is_number and not math.isfinite(value)):
            raise refused(f"metadata '{key}' is no value that can be kept: {value}")
        is_texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        is_kept = is_number or is_texts or isinstance(value, str)
        checked[key] = value if is_kept else json.dumps(value, sort_keys=True)
    return checked
