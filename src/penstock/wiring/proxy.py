"""PROXY: a named object that accepts messages and distributes them to queues.

This is what all classes have in common: name, class, registration list. A class of its own says how
it matches, in a file of its own under proxies/, and may come from outside the package: subclass
Proxy, give it a `class_name`, and add it to the wiring's proxy classes.

Nothing here knows queues: a registration's targets are opaque.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.errors import BadConfiguration, BadPattern
from penstock.wiring.registration import Registration, Target

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Targets

__all__ = ["Proxy"]

#: How many destinations a proxy remembers the way to; it starts over when there are more.
REMEMBERED: Final = 4096
#: What every proxy is created with, beside its class's own properties.
COMMON: Final = ("persistent", "dynamic", "internal", "alternate")


class Proxy(Target, ABC):
    """The common structure of all proxies: name, class, registration list, class-specific properties."""

    #: What the class is called, e.g. "DEST-WILD".
    class_name: ClassVar[str]
    #: Whether the destination alone decides where a message goes, so that the way can be remembered.
    by_destination: ClassVar[bool] = False
    #: Whether it drops messages on purpose: what it does not pass on is then lost, not unroutable.
    loses: ClassVar[bool] = False
    #: The class-specific properties with their defaults, e.g. {"drop": 0.5}.
    property_defaults: ClassVar[Mapping[str, Any]] = {}

    detour = True

    def __init__(
        self,
        name: str,
        *,
        persistent: bool = False,
        dynamic: bool = False,
        internal: bool = False,
        alternate: str | None = None,
        remarks: bytes = b"",
        **properties: Any,
    ) -> None:
        unknown = properties.keys() - self.property_defaults.keys()
        if unknown:
            known = ", ".join(self.property_defaults) or "none"
            raise BadConfiguration(
                f"a {self.class_name} proxy has no property {', '.join(sorted(unknown))}; it knows: {known}"
            )
        self.name = name
        self.persistent = persistent
        #: Goes when its last registration does.
        self.dynamic = dynamic
        #: Takes messages from other proxies only.
        self.internal = internal
        #: Name of the proxy that gets what this one cannot route.
        self.alternate = alternate
        #: What a front wants to know of it again; the wiring does not look.
        self.remarks = remarks
        self.properties: dict[str, Any] = {**self.property_defaults, **properties}
        #: Messages sent to it by publishers.
        self.published = 0
        #: Times one of these was put into a queue, or refused there.
        self.routed = 0
        self.registrations: dict[Hashable, Registration] = {}
        #: Where this proxy itself is registered, so that it can be taken out.
        self.registered_with: dict[Registration, None] = {}
        #: How many stages of queues' stacks it is.
        self.stacked = 0
        #: How many targets are not plain queues: zero lets a publish take the short way.
        self.detours = 0
        #: Destination → targets, or None where the destination alone does not decide.
        self.known_ways: dict[str, Targets] | None = {} if self.by_destination else None

    def __repr__(self) -> str:
        return f"<Proxy {self.name!r} {self.class_name}, {len(self.registrations)} registrations>"

    # What a class has to say

    @abstractmethod
    def normalise(self, pattern: Any) -> Hashable:
        """The pattern in the form that makes equal what means the same.

        Raises:
            BadPattern: it does not fit this class; the message says what would.
        """

    @abstractmethod
    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        """The registrations that ask for this message. `destination` is the one to go by."""

    @abstractmethod
    def why_not(self, pattern: Any, message: Message, destination: str) -> str | None:
        """Why a registration in normal form does not ask for this message; None if it does."""

    def passes(self, pattern: Any, message: Message, destination: str) -> bool:
        """Whether this proxy, in a queue's stack with a pattern in normal form, lets a message pass."""
        return self.why_not(pattern, message, destination) is None

    def index(self, registration: Registration) -> None:
        """A new distinct registration has come."""

    def unindex(self, registration: Registration) -> None:
        """The last target of a registration has gone, and so does the registration."""

    def describe(self, pattern: Any) -> str:
        """A pattern in normal form, as a person would write it."""
        return repr(pattern)

    # What all classes do alike

    def register(self, target: Target, pattern: Any) -> Registration:
        """Add a target under a pattern; a second time is no change."""
        normal = self.normalise(pattern)
        registration = self.registrations.get(normal)
        if registration is None:
            registration = Registration(self, normal)
            self.index(registration)
            self.registrations[normal] = registration
        if target not in registration.targets:
            registration.targets[target] = None
            self.detours += target.detour
            self.forget_ways()
        return registration

    def unregister(self, target: Target, registration: Registration) -> None:
        """Take a target out; the last one takes the registration with it."""
        del registration.targets[target]
        self.detours -= target.detour
        if not registration.targets:
            del self.registrations[registration.pattern]
            self.unindex(registration)
        self.forget_ways()

    def route(self, message: Message, destination: str) -> Targets:
        """Everyone who asked for this message, each once however often they asked."""
        matched = self.match(message, destination)
        if len(matched) == 1:
            targets = matched[0].targets
        else:
            targets = {}
            for registration in matched:
                targets.update(registration.targets)
        ways = self.known_ways
        if ways is not None:
            if len(ways) >= REMEMBERED:
                ways.clear()
            ways[destination] = targets
        return targets

    def forget_ways(self) -> None:
        """The wiring around this proxy has changed."""
        if self.known_ways is not None:
            self.known_ways.clear()

    def differences(self, wanted: Proxy) -> list[str]:
        """Where another proxy is not like this one, in words."""
        pairs: list[tuple[str, Any, Any]] = [("its class", self.class_name, wanted.class_name)]
        pairs += [(name, getattr(self, name), getattr(wanted, name)) for name in COMMON]
        names = self.properties.keys() | wanted.properties.keys()
        pairs += [(name, self.properties.get(name), wanted.properties.get(name)) for name in sorted(names)]
        return [f"{name} is {mine!r}, not {other!r}" for name, mine, other in pairs if mine != other]

    def refuse(self, pattern: Any, wanted: str) -> BadPattern:
        """The error for a pattern this class cannot take."""
        return BadPattern(f"{self.class_name} proxy {self.name!r} cannot register {pattern!r}: {wanted}")
