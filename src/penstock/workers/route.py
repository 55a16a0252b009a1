"""A route: which handler does the jobs of one kind, and how it wants to be treated. A value."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import msgspec

from penstock.errors import InvalidMessage, MessagingError
from penstock.messaging import Backoff
from penstock.messaging.subscriptions.handling import is_async
from penstock.workers.job import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.messaging import RetryStrategy

__all__ = ["Place", "Route"]


class Place(Enum):
    """Where a handler runs."""

    #: On the event loop, being async.
    LOOP = "loop"
    THREAD = "thread"
    #: In another process: for work that keeps the processor busy.
    PROCESS = "process"


def _patient() -> RetryStrategy:
    # With the first try, ten in all: what Keno Antigen's consumers allow.
    return Backoff(attempts=9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Who does the jobs of one route."""

    name: str
    handler: Callable[..., Any]
    retry: RetryStrategy = field(default_factory=_patient)
    #: Seconds that a job may take, unless it asks for more; None is what the worker allows.
    time_limit: float | None = None
    #: Whether a plain handler has a process of its own rather than a thread.
    process: bool = False
    #: Made from the handler's annotation.
    decoder: msgspec.json.Decoder[Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise MessagingError("a route has a name, such as /building/finishUpgrade")
        if self.time_limit is not None and self.time_limit <= 0:
            raise MessagingError(f"no job of {self.name} can be done in {self.time_limit} s")
        if self.process and is_async(self.handler):
            raise MessagingError(f"the handler of {self.name} is async, so it runs here: make it plain")
        content = _content_type(self.name, self.handler)
        try:
            object.__setattr__(self, "decoder", msgspec.json.Decoder(content))
        except TypeError as exc:
            raise MessagingError(f"the content of {self.name} cannot be checked: {exc}") from exc

    @property
    def place(self) -> Place:
        """Where its handler runs."""
        if is_async(self.handler):
            return Place.LOOP
        return Place.PROCESS if self.process else Place.THREAD

    def read(self, content: bytes | msgspec.Raw) -> Any:
        """The content as the handler wants it.

        Raises:
            InvalidMessage: it is something else.
        """
        try:
            return self.decoder.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError) as exc:
            raise InvalidMessage(f"the content is not what {self.name} takes: {exc}") from exc


def _content_type(name: str, handler: Callable[..., Any]) -> Any:
    """What `Job[…]` says in the handler's annotation; anything if it says nothing."""
    function = handler if inspect.isroutine(handler) else type(handler).__call__
    signature = inspect.signature(handler)
    try:
        signature.bind(None)
        hints = get_type_hints(function)
    except TypeError as exc:
        raise MessagingError(f"the handler of {name} takes the job, and nothing else: {exc}") from exc
    except NameError as exc:
        needed = "what it is annotated with is needed when it runs, so not under `if TYPE_CHECKING:`"
        raise MessagingError(f"the handler of {name} cannot be understood: {exc}; {needed}") from exc
    hint = hints.get(next(iter(signature.parameters)), Any)
    if hint is Any or hint is Job:
        return Any
    if get_origin(hint) is not Job:
        raise MessagingError(f"the handler of {name} takes a Job, such as Job[dict], and not {hint}")
    return get_args(hint)[0]
