from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import MessagingError
from penstock.messaging.subscriptions.handling import call_of, is_async, takes_context
from penstock.messaging.subscriptions.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

CONTEXT: Any = "the context"
RECEIVED: Any = "what came"


def context(received: Any, worker: Worker) -> Any:
    assert (received, type(worker)) == (RECEIVED, Worker)
    return CONTEXT


async def modern(event: Any, context: Any) -> Any:
    return event, context


async def modest(event: Any) -> Any:
    return event


def plain(event: Any, context: Any) -> Any:
    return event, context, threading.current_thread() is threading.main_thread()


def plain_and_modest(event: Any) -> Any:
    return event, threading.current_thread() is threading.main_thread()


class Handler:
    async def __call__(self, event: Any, context: Any) -> Any:
        return event, context

    async def method(self, event: Any) -> Any:
        return event


async def with_more(event: Any, context: Any = None, *, more: int = 5) -> Any:
    return event, context, more


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (modern, ("event", CONTEXT)),
        (modest, "event"),
        (plain, ("event", CONTEXT, False)),
        (plain_and_modest, ("event", False)),
        (Handler(), ("event", CONTEXT)),
        (Handler().method, "event"),
        (with_more, ("event", CONTEXT, 5)),
        (partial(modern, context=CONTEXT), ("event", CONTEXT)),
    ],
)
def test_handlers_of_every_kind_are_called(handler: Callable[..., Any], expected: Any) -> None:
    async def main() -> Any:
        with ThreadPoolExecutor(1) as executor:
            return await call_of(handler, executor, context)("event", RECEIVED, Worker())

    assert asyncio.run(main()) == expected


def test_what_is_async_is_known() -> None:
    assert [is_async(each) for each in (modern, Handler(), Handler().method, partial(modern, 1))] == [
        True
    ] * 4
    assert [is_async(each) for each in (plain, Handler, print)] == [False] * 3
    assert takes_context(modern)
    assert not takes_context(modest)


@pytest.mark.parametrize("wrong", [lambda: None, lambda a, b, c: None])
def test_what_takes_no_event_is_no_handler(wrong: Callable[..., Any]) -> None:
    with pytest.raises(MessagingError, match="cannot handle messages"):
        call_of(wrong, None, context)


def test_a_thread_has_the_callers_context_variables() -> None:
    asked = contextvars.ContextVar("asked", default="nobody")

    async def main() -> Any:
        asked.set("me")
        with ThreadPoolExecutor(1) as executor:
            return await call_of(lambda _: asked.get(), executor, context)("event", RECEIVED, Worker())

    assert asyncio.run(main()) == "me"


def test_a_thread_that_is_given_up_is_left_to_its_worker() -> None:
    async def main() -> None:
        may_end = threading.Event()
        worker = Worker()
        with ThreadPoolExecutor(1) as executor:
            call = call_of(lambda _: may_end.wait(), executor, context)
            task = asyncio.ensure_future(call("event", RECEIVED, worker))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert worker.leftover is not None
            assert not worker.leftover.done()
            may_end.set()
            assert await worker.leftover is True

    asyncio.run(main())
