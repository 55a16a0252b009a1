"""Forms: how messages of each protocol are written down and read back.

A front knows its own messages; it says here how they become bytes, under a number that stays the same
for ever, since stores outlive programs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import msgspec

from penstock.wiring import Message, Terms
from penstock.wiring.death import Death

if TYPE_CHECKING:
    from penstock.store import Found

__all__ = ["Form", "PlainForm", "Written", "read_deaths", "write_deaths"]


class Written(NamedTuple):
    """A message as bytes."""

    content: bytes
    #: What the content does not say, if there is anything.
    extra: bytes | None = None
    #: Where the body is, if it is not in the content.
    file: str | None = None


class Form(Protocol):
    """How one kind of message is written down."""

    @property
    def number(self) -> int:
        """Under which it stands in the store, for ever."""
        ...

    @property
    def message_type(self) -> type[Message]:
        """The messages it is for."""
        ...

    def write(self, message: Any) -> Written:
        """A message as bytes."""
        ...

    def read(self, found: Found) -> Message:
        """The message that such bytes tell of."""
        ...


_deaths: Final = msgspec.msgpack.Decoder(tuple[Death, ...])


def write_deaths(message: Message) -> bytes | None:
    """A message's deaths, if it has any."""
    return msgspec.msgpack.encode(message.deaths) if message.deaths else None


def read_deaths(extra: bytes | None) -> tuple[Death, ...]:
    """The deaths written down."""
    return _deaths.decode(extra) if extra else ()


class _Plain(msgspec.Struct, array_like=True):
    body: bytes
    properties: dict[str, Any]
    terms: Terms


_plain: Final = msgspec.msgpack.Decoder(_Plain)


def _hashable(value: Any) -> Any:
    """A group's key as it was: MessagePack has lists, and no tuples."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


class PlainForm:
    """Messages as the wiring has them."""

    number = 0
    message_type = Message

    def write(self, message: Message) -> Written:
        record = _Plain(bytes(message.body), dict(message.properties), message.terms)
        return Written(msgspec.msgpack.encode(record), write_deaths(message))

    def read(self, found: Found) -> Message:
        record = _plain.decode(found.content)
        terms = record.terms
        if isinstance(terms.group, list):
            terms = replace(terms, group=_hashable(terms.group))
        deaths = read_deaths(found.extra)
        message = Message(record.body, found.destination, record.properties, terms, deaths)
        message.proxy = found.proxy
        return message
