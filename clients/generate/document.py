"""Reads the OpenAPI document of a server, with the table of names beside this file. What it does not understand it refuses,
so that no client is generated with less than the document says. It writes no code."""

from __future__ import annotations

import pathlib
import re
from typing import Any

from forms import Api, Form, Member, Operation, Shape

TABLE = pathlib.Path(__file__).parent / "operations.txt"
_PLAIN = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null"}
#: What decides about a shape, and is read here.
_READ = {"$ref", "type", "enum", "items", "properties", "required", "additionalProperties", "propertyNames", "oneOf", "allOf"}
#: What bounds or explains a value, and changes no shape.
_SAID = {"description", "title", "format", "default", "example", "examples", "deprecated", "pattern", "minimum", "maximum"}
_SAID |= {"exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}


class NotUnderstood(Exception):
    """The document, or the table of names, says something that this generator does not know."""


def api_of(document: dict[str, Any], table: str) -> Api:
    """The API that a document describes."""
    shapes: list[Shape] = []
    for name, schema in sorted(document["components"]["schemas"].items()):
        shapes.extend(_shapes_of(name, schema))
    return Api(document["info"]["version"], tuple(shapes), tuple(_operations_of(document, table, shapes)))


def _understood(where: str, schema: dict[str, Any]) -> None:
    unknown = sorted(set(schema) - _READ - _SAID)
    if unknown:
        raise NotUnderstood(f"{where}: {', '.join(unknown)}")


def _shapes_of(name: str, schema: dict[str, Any]) -> list[Shape]:
    _understood(name, schema)
    about = schema.get("description", "")
    if "allOf" in schema:
        return [_joined(name, about, schema["allOf"])]
    if "oneOf" in schema:
        return _variants(name, about, schema["oneOf"])
    if schema.get("type") == "object" and "properties" in schema:
        return [Shape(name, about, members=_members(name, schema))]
    return [Shape(name, about, alias=_form(name, schema))]


def _joined(name: str, about: str, parts: list[dict[str, Any]]) -> Shape:
    """An object of several: references are bases, but one that may be absent has no member that must be there."""
    bases: list[str] = []
    members: tuple[Member, ...] = ()
    for part in parts:
        if "$ref" in part:
            bases.append(_referred(part))
        elif "oneOf" in part:
            bases.extend(f"{_referred(one)}?" for one in part["oneOf"] if "$ref" in one)
        else:
            members += _members(name, part)
    return Shape(name, about, bases=tuple(bases), members=members)


def _variants(name: str, about: str, variants: list[dict[str, Any]]) -> list[Shape]:
    """One of several forms; variants that are objects get names by their first member that must be there."""
    shapes: list[Shape] = []
    forms: list[Form] = []
    for variant in variants:
        if variant.get("type") == "object" and "properties" in variant:
            inner = name + _pascal(variant["required"][0])
            shapes.append(Shape(inner, variant.get("description", ""), members=_members(inner, variant)))
            forms.append(Form("named", name=inner))
        else:
            forms.append(_form(name, variant))
    return [*shapes, Shape(name, about, alias=Form("either", inside=tuple(forms)))]


def _members(where: str, schema: dict[str, Any]) -> tuple[Member, ...]:
    _understood(where, schema)
    required = schema.get("required", [])
    return tuple(
        Member(name, _form(f"{where}.{name}", inner), name in required, _about(inner))
        for name, inner in schema.get("properties", {}).items()
    )


def _about(schema: dict[str, Any]) -> str:
    told = [schema, *schema.get("oneOf", [])]
    return next((one["description"] for one in told if one.get("description")), "")


def _form(where: str, schema: dict[str, Any]) -> Form:
    _understood(where, schema)
    if "$ref" in schema:
        return Form("named", name=_referred(schema))
    if "oneOf" in schema:
        return Form("either", inside=tuple(_form(where, one) for one in schema["oneOf"]))
    if "enum" in schema:
        return Form("words", words=tuple(schema["enum"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return Form("either", inside=tuple(_form(where, {**schema, "type": one}) for one in kind))
    if kind in _PLAIN:
        return Form(_PLAIN[kind])
    if kind == "array":
        return Form("list", inside=(_form(where, schema["items"]),))
    if kind == "object" and "properties" not in schema:
        values = schema.get("additionalProperties")
        return Form("map", inside=(_form(where, values) if isinstance(values, dict) else Form("anything"),))
    if kind is None and "allOf" not in schema:
        return Form("anything")
    raise NotUnderstood(f"{where}: {schema}")


def _operations_of(document: dict[str, Any], table: str, shapes: list[Shape]) -> list[Operation]:
    named = _named(table)
    objects = {shape.name: shape for shape in shapes}
    operations: list[Operation] = []
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            place = f"{method.upper()} {path}"
            if place not in named:
                raise NotUnderstood(
                    f"{place} is not in {TABLE.name}: build loci anew, and write that list with "
                    "UPDATE_EXPECT=1 cargo test -p loci-api operation"
                )
            name, mark = named.pop(place)
            operations.append(_operation(name, mark, method.upper(), path, described, objects))
    if named:
        raise NotUnderstood(f"{TABLE.name} names what is no operation any more: {', '.join(named)}")
    return operations


def _named(table: str) -> dict[str, tuple[str, str]]:
    named: dict[str, tuple[str, str]] = {}
    for line in table.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, method, path, *marks = line.split()
        mark = "".join(marks)
        if mark not in ("", "read", "key"):
            raise NotUnderstood(f"{TABLE.name}: {mark} is no mark")
        if any(name == other for other, _ in named.values()):
            raise NotUnderstood(f"{TABLE.name}: two operations are called {name}")
        named[f"{method} {path}"] = (name, mark)
    return named


def _operation(
    name: str, mark: str, method: str, path: str, described: dict[str, Any], objects: dict[str, Shape]
) -> Operation:
    parameters = described.get("parameters", [])
    query = [one for one in parameters if one["in"] == "query"]
    place = f"{method} {path}"
    body = _content(place, described.get("requestBody"))
    successes = [answer for status, answer in described["responses"].items() if status.startswith("2")]
    answers = [found for found in (_content(place, answer) for answer in successes) if found]
    repeat = mark or ("read" if method == "GET" else "never")
    return Operation(
        name=name,
        method=method,
        path=path,
        repeat=repeat,
        summary=described["summary"],
        parameters=tuple(one["name"] for one in parameters if one["in"] == "path"),
        query=tuple(
            Member(one["name"], _form(name, one["schema"]), one.get("required", False), _about(one["schema"])) for one in query
        ),
        body=body,
        is_body_optional=body in objects and _is_all_optional(objects[body], objects),
        answer=answers[0] if answers else None,
        may_be_nothing=bool(answers) and "204" in described["responses"],
    )


def _is_all_optional(shape: Shape, objects: dict[str, Shape]) -> bool:
    if shape.alias is not None:
        return False
    bases = all(base.endswith("?") or _is_all_optional(objects[base], objects) for base in shape.bases)
    return bases and not any(member.is_required for member in shape.members)


def _content(place: str, carrier: dict[str, Any] | None) -> str | None:
    """The shape of a body, or ``bytes``; ``None`` where there is none."""
    content = (carrier or {}).get("content", {})
    if not content:
        return None
    if "application/json" in content:
        return _referred(content["application/json"]["schema"])
    if "application/x-ndjson" in content or "application/octet-stream" in content:
        return "bytes"
    raise NotUnderstood(f"{place}: a body of {', '.join(content)}")


def _referred(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\W]+", name))
