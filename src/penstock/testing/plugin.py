"""The pytest plugin: a broker for each test that asks for one, and a loop if nobody else has one for it.

An `async def` test with the fixture `penstock_broker` finds the broker running. Who runs such tests in a
loop of its own, as pytest-asyncio and anyio do, goes on doing so; otherwise it is done here. A plain
test opens it itself: `async with penstock_broker`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.settings import Settings
    from penstock.testing import ControlledBroker

__all__ = ["penstock_broker", "penstock_settings"]

FIXTURE: Final = "penstock_broker"


@pytest.fixture
def penstock_settings() -> Settings | None:
    """The settings of `penstock_broker`; override it to give others."""
    return None


@pytest.fixture
def penstock_broker(penstock_settings: Settings | None) -> ControlledBroker:
    """A broker of the test's own, whose clock stands until it is advanced."""
    # Loaded now, not at every start of pytest.
    from penstock.testing import ControlledBroker  # noqa: PLC0415

    return ControlledBroker(penstock_settings)


def _is_ours(item: pytest.Function) -> bool:
    return FIXTURE in item.fixturenames and inspect.iscoroutinefunction(item.obj)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Let the broker live as long as the test, in whatever loop that runs."""
    if isinstance(item, pytest.Function) and _is_ours(item):
        broker: Any = item.funcargs[FIXTURE]
        item.obj = _with_broker(item.obj, broker)


def _with_broker(
    test: Callable[..., Awaitable[object]], broker: ControlledBroker
) -> Callable[..., Awaitable[object]]:
    @functools.wraps(test)
    async def run(*arguments: Any, **named: Any) -> object:
        async with broker:
            return await test(*arguments, **named)

    return run


@pytest.hookimpl
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the test, if nobody did who was asked before."""
    if not _is_ours(pyfuncitem):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True
