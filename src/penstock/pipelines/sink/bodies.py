"""Bodies of rows: one column as it is, or the fields of a class as JSON, checked by the class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from penstock.errors import BadSetting, MessagingError
from penstock.messaging.events.codec import codec_of
from penstock.messaging.events.event import EventType, event_type, is_event
from penstock.messaging.events.registry import JSON
from penstock.messaging.headers import TYPE_VERSION
from penstock.pipelines.decoding import class_at
from penstock.pipelines.fields import fields_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Bodies", "PlainBodies", "TypedBodies", "bodies_of"]


class Bodies(Protocol):
    """What makes a body of some columns."""

    @property
    def names(self) -> Sequence[str]:
        """The columns, in the order in which `encode` wants their values."""
        ...

    @property
    def common(self) -> Mapping[str, Any]:
        """Properties that go with it."""
        ...

    def encode(self, values: tuple[Any, ...]) -> bytes:
        """The body.

        Raises:
            ValueError, PenstockError: it cannot be; why.
        """
        ...


def bodies_of(schema_type: str, names: Sequence[str]) -> Bodies:
    """How a table with these columns, and perhaps a class, has its bodies.

    Raises:
        BadSetting: it has none.
    """
    if schema_type:
        return TypedBodies(schema_type, names)
    if "body" not in names:
        raise BadSetting("a message has a body: name that column `body`", setting="schema_type")
    return PlainBodies()


class PlainBodies:
    """The column `body`: bytes, or text."""

    names: Final = ("body",)
    common: Final[Mapping[str, Any]] = {}

    def encode(self, values: tuple[Any, ...]) -> bytes:
        body = values[0]
        if isinstance(body, bytes):
            return body
        if isinstance(body, str):
            return body.encode()
        raise ValueError("body is null" if body is None else "body is neither bytes nor text")


class TypedBodies:
    """The fields of a class. What the row has no column for, or null, is left to the class's defaults."""

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        """Raises BadSetting if the class cannot be had."""
        python_type = class_at(path)
        fields = [field for field in fields_of(python_type) if field.name in columns]
        self.names = [field.name for field in fields]
        self._json = frozenset(field.name for field in fields if field.is_json)
        self._optional = frozenset(field.name for field in fields if not field.is_required)
        declared = (
            event_type(python_type)
            if is_event(python_type)
            else EventType(name=python_type.__qualname__, version=1, python_type=python_type)
        )
        try:
            self._codec = codec_of(declared)
        except MessagingError as exc:
            raise BadSetting(f"schema_type: {exc}", setting="schema_type") from exc
        self.common: dict[str, Any] = {"content_type": JSON}
        if is_event(python_type):
            self.common |= {"type": declared.name, "headers": {TYPE_VERSION: declared.version}}

    def __repr__(self) -> str:
        return f"<TypedBodies {', '.join(self.names)}>"

    def encode(self, values: tuple[Any, ...]) -> bytes:
        said = {
            name: msgspec.Raw(value.encode()) if name in self._json and value is not None else value
            for name, value in zip(self.names, values, strict=True)
            if value is not None or name not in self._optional
        }
        body = msgspec.json.encode(said)
        self._codec.decode(body)
        return body
