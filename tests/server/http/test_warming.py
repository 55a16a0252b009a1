from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import ArrowMissing
from penstock.server.http import warming
from penstock.server.http.warming import warm_up
from penstock.wire.arrow import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    arrow.cache_clear()
    yield
    arrow.cache_clear()


def test_the_first_import_is_on_a_thread_and_there_is_no_second() -> None:
    async def story() -> None:
        await warm_up()
        assert arrow.cache_info().currsize == 1
        before = arrow.cache_info().hits
        await warm_up()
        assert arrow.cache_info().hits == before

    asyncio.run(story())


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def missing() -> Any:
        threads.append(threading.current_thread())
        raise ArrowMissing("not here")

    missing.cache_info = arrow.cache_info  # type: ignore[attr-defined]
    monkeypatch.setattr(warming, "arrow", missing)
    with pytest.raises(ArrowMissing):
        asyncio.run(warm_up())
    assert threads[0] is not threading.main_thread()
