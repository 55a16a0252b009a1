"""The registry: the events that an application knows, by name, and how they are read and written.

What is not in it is not read, whatever a message calls itself. Older versions are brought up to the one
that is declared; newer ones are refused, since nobody here knows what they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from penstock.errors import InvalidMessage, MessagingError, UnknownEvent
from penstock.messaging.events.codec import codec_of
from penstock.messaging.events.event import EventType, event_type, is_event
from penstock.messaging.events.upcasting import Upcaster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.messaging.events.codec import Codec

__all__ = ["JSON", "Encoded", "Registry"]

#: The content type of an event.
JSON: Final = "application/json"


class Encoded(NamedTuple):
    """An event on its way out."""

    name: str
    version: int
    body: bytes


class _Entry:
    """One event, ready for use."""

    __slots__ = ("codec", "declared", "upcasters")

    def __init__(self, declared: EventType) -> None:
        self.declared: Final = declared
        self.codec: Final[Codec] = codec_of(declared)
        self.upcasters: Final[dict[int, Upcaster]] = {}


class Registry:
    """The events that an application knows."""

    __slots__ = ("_by_name", "_by_type", "_early")

    def __init__(self, *things: type[Any] | Upcaster) -> None:
        self._by_name: dict[str, _Entry] = {}
        self._by_type: dict[type[Any], _Entry] = {}
        #: Up-casters of events that are yet to be added.
        self._early: list[Upcaster] = []
        self.add(*things)

    def __repr__(self) -> str:
        return f"<Registry {', '.join(f'{each.name} {each.version}' for each in self)}>"

    def __iter__(self) -> Iterator[EventType]:
        return (entry.declared for entry in self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, thing: object) -> bool:
        return thing in self._by_name or thing in self._by_type

    # Declaring

    def add(self, *things: type[Any] | Upcaster) -> None:
        """Know these classes, declared with `event`, and up-casters; what is known already stays.

        Raises:
            MessagingError: a class is no event or cannot be checked, or its name is another's.
        """
        for thing in things:
            if isinstance(thing, Upcaster):
                self._add_upcaster(thing)
            elif thing not in self._by_type:
                self._add_event(event_type(thing))

    def _add_event(self, declared: EventType) -> None:
        if (other := self._by_name.get(declared.name)) is not None:
            raise MessagingError(
                f"event {declared.name} is {other.declared.python_type.__qualname__} and cannot be"
                f" {declared.python_type.__qualname__} as well: an application knows one version of it,"
                " and up-casters for the older ones"
            )
        entry = _Entry(declared)
        self._by_name[declared.name] = self._by_type[declared.python_type] = entry
        early, self._early = self._early, []
        for upcaster in (*declared.upcasters, *early):
            self._add_upcaster(upcaster)

    def _add_upcaster(self, upcaster: Upcaster) -> None:
        entry = self._by_name.get(upcaster.name)
        if entry is None:
            self._early.append(upcaster)
            return
        if upcaster.version >= entry.declared.version:
            raise MessagingError(
                f"the up-caster of {upcaster.name} from version {upcaster.version} leads nowhere:"
                f" version {entry.declared.version} is the newest"
            )
        if entry.upcasters.setdefault(upcaster.version, upcaster) != upcaster:
            raise MessagingError(f"{upcaster.name} has two up-casters from version {upcaster.version}")

    def only(self, *python_types: type[Any]) -> Registry:
        """These events alone, as they are known here; what is learnt of them later goes for both.

        Raises:
            UnknownEvent: one of them is not in this registry.
        """
        part = Registry()
        for python_type in python_types:
            entry = self._by_type.get(python_type)
            if entry is None:
                raise UnknownEvent(_unknown(python_type))
            part._by_name[entry.declared.name] = part._by_type[python_type] = entry
        return part

    # Reading and writing

    def encode(self, event: Any) -> Encoded:
        """An event as the body of a message, checked.

        Raises:
            InvalidMessage: it is not what its class promises.
            UnknownEvent: its class is not in this registry.
        """
        entry = self._by_type.get(type(event))
        if entry is None:
            raise UnknownEvent(_unknown(type(event)))
        return Encoded(entry.declared.name, entry.declared.version, entry.codec.encode(event))

    def decode(self, name: str, version: int, body: bytes, content_type: str | None = JSON) -> Any:
        """The event in a message, as the class that is declared here, checked.

        Raises:
            InvalidMessage: the content is not what its name and version promise.
            UnknownEvent: no such event, or no such version of it, is known here.
        """
        entry = self._by_name.get(name)
        if entry is None:
            raise UnknownEvent(f"event {name!r} is not declared here" if name else "the message has no type")
        if content_type != JSON and content_type and content_type.partition(";")[0].strip() != JSON:
            raise InvalidMessage(f"{name} is {JSON}, and this message is {content_type}")
        if version != entry.declared.version:
            body = _upcast(entry, version, body)
        return entry.codec.decode(body)

    # Looking

    def event_type(self, name: str) -> EventType:
        """What an event of that name was declared as.

        Raises:
            UnknownEvent: there is none.
        """
        return self._entry(name).declared

    def schema(self, name: str) -> dict[str, Any]:
        """What an event's class promises, as JSON Schema.

        Raises:
            UnknownEvent: there is none of that name.
        """
        return self._entry(name).codec.schema()

    def oldest_version(self, name: str) -> int:
        """The oldest version that up-casters bring up to the present one without a gap.

        Raises:
            UnknownEvent: there is no event of that name.
        """
        entry = self._entry(name)
        version = entry.declared.version
        while version - 1 in entry.upcasters:
            version -= 1
        return version

    def _entry(self, name: str) -> _Entry:
        entry = self._by_name.get(name)
        if entry is None:
            raise UnknownEvent(f"event {name!r} is not declared here")
        return entry


def _unknown(python_type: type[Any]) -> str:
    if is_event(python_type):
        return f"{python_type.__qualname__} is an event, but not declared here: add it to the application"
    return f"{python_type.__qualname__} is no event: declare it with @event({python_type.__name__!r})"


def _upcast(entry: _Entry, version: int, body: bytes) -> bytes:
    """The body of an older version as one of the present version would have been."""
    declared = entry.declared
    if version > declared.version or version < 1:
        raise UnknownEvent(f"{declared.name} is known here in version {declared.version}, not {version}")
    try:
        content = msgspec.json.decode(body, type=dict[str, Any])
    except (ValueError, RecursionError) as fault:
        raise InvalidMessage(f"{declared.name} version {version}: {fault}") from fault
    for older in range(version, declared.version):
        upcaster = entry.upcasters.get(older)
        if upcaster is None:
            raise UnknownEvent(
                f"{declared.name} version {version} is too old: no up-caster from version {older} is known"
            )
        try:
            content = upcaster(content)
            body = msgspec.json.encode(content)
        except Exception as fault:
            raise InvalidMessage(
                f"{declared.name} version {version}: up-casting from version {older} failed:"
                f" {type(fault).__name__}: {fault}"
            ) from fault
    return body
