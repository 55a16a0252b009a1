"""Codecs: events of one class as bytes, and back; checked both ways.

On the hot path of every handler: encoders and decoders are made once for each class. A class is read by
its own library's rules (msgspec also for dataclasses); a fault names the field by its path.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from penstock.errors import InvalidMessage, MessagingError

if TYPE_CHECKING:
    from penstock.messaging.events.event import EventType

__all__ = ["Codec", "codec_of"]

#: What content, or a class's own checks of it, can fail with. Others are mistakes in a program.
_FAULTS: Final = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    RecursionError,
)

#: Where generated schemas expect the parts they refer to.
_REFERENCE: Final = "#/$defs/{name}"


class Codec(Protocol):
    """Events of one class as bytes, and back."""

    def encode(self, event: Any) -> bytes:
        """The event as JSON.

        Raises:
            InvalidMessage: it is not what its class promises; which field, and why.
        """
        ...

    def decode(self, body: bytes) -> Any:
        """The event that JSON tells of.

        Raises:
            InvalidMessage: it is not what the class promises; which field, and why.
        """
        ...

    def schema(self) -> dict[str, Any]:
        """What the class promises, as JSON Schema."""
        ...


def codec_of(declared: EventType) -> Codec:
    """The codec of an event's class.

    Raises:
        MessagingError: it is no class that can be checked.
    """
    python_type = declared.python_type
    for is_one, codec in _KINDS:
        if is_one(python_type):
            return codec(declared)
    raise MessagingError(
        f"{python_type.__qualname__} must be a msgspec struct, a dataclass or a pydantic model to be an"
        " event; @event stands above @dataclass"
    )


class MsgspecCodec:
    """Structs and dataclasses."""

    __slots__ = ("_decode", "_encode", "_label", "_type")

    def __init__(self, declared: EventType) -> None:
        self._type = declared.python_type
        self._label = label(declared)
        self._encode = msgspec.json.Encoder().encode
        try:
            self._decode = msgspec.json.Decoder(self._type).decode
        except (TypeError, NameError) as exc:
            raise MessagingError(f"{self._label} has fields that JSON cannot have: {exc}") from exc

    def encode(self, event: Any) -> bytes:
        try:
            body = self._encode(event)
            # Neither structs nor dataclasses look at what is put into them: reading it back does.
            self._decode(body)
        except _FAULTS as fault:
            raise InvalidMessage(f"{self._label}: {fault}") from fault
        return body

    def decode(self, body: bytes) -> Any:
        try:
            return self._decode(body)
        except _FAULTS as fault:
            raise InvalidMessage(f"{self._label}: {fault}") from fault

    def schema(self) -> dict[str, Any]:
        return msgspec.json.schema(self._type, ref_template=_REFERENCE)


class PydanticCodec:
    """Pydantic models: their own rules of what is taken for what."""

    __slots__ = ("_label", "_type")

    def __init__(self, declared: EventType) -> None:
        self._type = declared.python_type
        self._label = label(declared)

    def encode(self, event: Any) -> bytes:
        try:
            # By alias, since that is how it is read; a value of another type is an error, not a warning.
            text: str = event.model_dump_json(by_alias=True, warnings="error")
            self._type.model_validate_json(text)
            return text.encode()
        except _FAULTS as fault:
            raise InvalidMessage(f"{self._label}: {_told(fault)}") from fault

    def decode(self, body: bytes) -> Any:
        try:
            return self._type.model_validate_json(body)
        except _FAULTS as fault:
            raise InvalidMessage(f"{self._label}: {_told(fault)}") from fault

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = self._type.model_json_schema(ref_template="#/$defs/{model}")
        return schema


def label(declared: EventType) -> str:
    """How faults name an event: without the class's module, so that they can be grouped."""
    return f"{declared.name} version {declared.version}"


def _told(fault: Exception) -> str:
    """Pydantic's errors as msgspec words its own; without the input, which may be somebody's secret."""
    errors = getattr(fault, "errors", None)
    if errors is None:
        return str(fault)
    return "; ".join(f"{error['msg']}{_at(error['loc'])}" for error in errors(include_input=False))


def _at(places: tuple[str | int, ...]) -> str:
    if not places:
        return ""
    steps = (f"[{place}]" if isinstance(place, int) else f".{place}" for place in places)
    return f" - at `${''.join(steps)}`"


def _is_struct(python_type: type[Any]) -> bool:
    return issubclass(python_type, msgspec.Struct)


def _is_model(python_type: type[Any]) -> bool:
    """Whether it is a pydantic model; asked without importing pydantic, which need not be installed."""
    return hasattr(python_type, "__pydantic_validator__") and hasattr(python_type, "model_validate_json")


_KINDS: Final = (
    (_is_struct, MsgspecCodec),
    (_is_model, PydanticCodec),
    (dataclasses.is_dataclass, MsgspecCodec),
)
