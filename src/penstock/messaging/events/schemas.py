"""JSON Schema, as far as events use it, in a form that two of them can be compared in.

A schema is taken apart into alternatives: "an integer or null" has two. References are followed when they
are met, since a class may hold itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LIMITS", "Alternative", "Document"]

#: What narrows a value further, and which way: 1 if a larger one lets less through, -1 if it lets more
#: through, 0 if any other is simply another.
LIMITS: Final = {
    "minimum": 1,
    "exclusiveMinimum": 1,
    "minLength": 1,
    "minItems": 1,
    "minProperties": 1,
    "maximum": -1,
    "exclusiveMaximum": -1,
    "maxLength": -1,
    "maxItems": -1,
    "maxProperties": -1,
    "multipleOf": 0,
    "pattern": 0,
    "format": 0,
    "contentEncoding": 0,
    "uniqueItems": 0,
}

#: The kind of a value that may be anything.
ANYTHING: Final = "anything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One of the things a value may be."""

    #: A JSON type, `anything`, or `enum` for one of some values.
    kind: str
    #: Which of several objects it is: the value of the field that tells them apart, or its class.
    tag: str = ""
    values: tuple[Any, ...] = ()
    limits: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    #: Of the fields that are not named, or of a list; None lets anything through, False nothing.
    rest: Any = None
    #: Of the first of a list, each its own.
    first: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """How it is told apart from its siblings."""
        return f"{self.kind} {self.tag}".rstrip()

    def __str__(self) -> str:
        if self.kind == "enum":
            return f"one of {', '.join(map(repr, self.values))}"
        limits = ", ".join(f"{name} {value}" for name, value in self.limits.items())
        return f"{self.kind} ({limits})" if limits else self.kind


@dataclass(frozen=True, slots=True)
class Document:
    """A schema with the parts it refers to."""

    schema: dict[str, Any]

    def alternatives(self, schema: Any) -> list[Alternative]:
        """What a value of this part of it may be."""
        return list(self._walk(schema, ""))

    def _walk(self, schema: Any, tag: str) -> Iterator[Alternative]:
        if not isinstance(schema, dict):
            yield Alternative(kind=ANYTHING)
        elif "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            yield from self._walk(self.schema["$defs"][name], name)
        elif several := schema.get("anyOf") or schema.get("oneOf"):
            for each in several:
                yield from self._walk(each, "")
        elif len(several := schema.get("allOf", ())) == 1:
            yield from self._walk(several[0], "")
        elif "const" in schema or "enum" in schema:
            values = schema.get("enum", [schema.get("const")])
            yield Alternative(kind="enum", values=tuple(values))
        else:
            kinds = schema.get("type", ANYTHING)
            for kind in [kinds] if isinstance(kinds, str) else kinds:
                yield _alternative(kind, schema, tag)


def _alternative(kind: str, schema: dict[str, Any], tag: str) -> Alternative:
    fields = schema.get("properties", {}) if kind == "object" else {}
    rest = schema.get("additionalProperties" if kind == "object" else "items")
    return Alternative(
        kind=kind,
        tag=_tag(fields) or tag if fields else "",
        limits={name: schema[name] for name in LIMITS if name in schema},
        fields=fields,
        required=frozenset(schema.get("required", ())),
        rest=None if rest is True else rest,
        first=tuple(schema.get("prefixItems", ())),
    )


def _tag(fields: dict[str, Any]) -> str:
    """The value of the first field that has just one, by which structs in a union are told apart."""
    for value in fields.values():
        if isinstance(value, dict) and len(known := value.get("enum", [])) == 1:
            return str(known[0])
    return ""
