"""A message as AMQP carries it: its frames kept as they came, everything else read from them when asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.server.amqp.deaths import told, with_deaths
from penstock.wire.amqp.content import body_of, body_size_of, with_properties
from penstock.wire.amqp.items import PublishArgs
from penstock.wiring import Message
from penstock.wiring.properties import NONE

if TYPE_CHECKING:
    from penstock.server.amqp.bodies import LargeBody
    from penstock.wire.amqp import BasicProperties
    from penstock.wiring import Death, Terms
    from penstock.wiring.properties import Properties

__all__ = ["AmqpMessage", "LargeMessage"]


class AmqpMessage(Message):
    """One message; `frames` are its content header and body frames."""

    __slots__ = ("content", "frames", "route")

    #: The body, if it is too large to be among the frames.
    large: ClassVar[LargeBody | None] = None

    def __init__(
        self,
        route: PublishArgs,
        content: BasicProperties,
        frames: bytes,
        terms: Terms,
        deaths: tuple[Death, ...] = (),
    ) -> None:
        # Not through the base: its body and properties are read from the frames here.
        self.route = route
        self.content = content
        self.frames = frames
        self.destination = route.routing_key
        self.terms = terms
        self.proxy = route.exchange
        self.deaths = deaths
        self.references = 0
        self.stored = 0

    @property
    def body(self) -> bytes:  # type: ignore[override]
        """The body in one piece."""
        return body_of(self.frames)

    @property
    def size(self) -> int:
        """How many bytes the body has."""
        return body_size_of(self.frames)

    @property
    def properties(self) -> Properties:  # type: ignore[override]
        """The headers, by which proxies and selectors choose."""
        return self.content.headers or NONE

    def reborn(self, proxy: str, destination: str | None, deaths: tuple[Death, ...]) -> AmqpMessage:
        """The same body on its way to its dead-letter home, with its deaths in the headers."""
        route = PublishArgs(proxy, self.destination if destination is None else destination)
        deaths = told(deaths, self.content)
        content = with_deaths(self.content, deaths)
        terms = self.terms.after_death(keeps_destination=destination is None)
        return self._reborn(route, content, with_properties(self.frames, content), terms, deaths)

    def shown_with(self, content: BasicProperties) -> AmqpMessage:
        """The same message behind other properties, for one delivery."""
        frames = with_properties(self.frames, content)
        return self._reborn(self.route, content, frames, self.terms, self.deaths)

    def _reborn(
        self,
        route: PublishArgs,
        content: BasicProperties,
        frames: bytes,
        terms: Terms,
        deaths: tuple[Death, ...],
    ) -> AmqpMessage:
        return AmqpMessage(route, content, frames, terms, deaths)


class LargeMessage(AmqpMessage):
    """One message whose body is in a file; `frames` are its content header frame only."""

    __slots__ = ("large",)

    large: LargeBody  # type: ignore[misc]

    def __init__(
        self,
        route: PublishArgs,
        content: BasicProperties,
        frames: bytes,
        terms: Terms,
        large: LargeBody,
        deaths: tuple[Death, ...] = (),
    ) -> None:
        super().__init__(route, content, frames, terms, deaths)
        self.large = large

    @property
    def body(self) -> bytes:  # type: ignore[override]
        """The body in one piece: for tools and tests, nothing that runs all day asks for it."""
        return self.large.read()

    def _reborn(
        self,
        route: PublishArgs,
        content: BasicProperties,
        frames: bytes,
        terms: Terms,
        deaths: tuple[Death, ...],
    ) -> AmqpMessage:
        return LargeMessage(route, content, frames, terms, self.large.hold(), deaths)
