from __future__ import annotations

import asyncio
import threading

import pytest

from penstock.pipelines.looping import LoopThread


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def fail() -> None:
    raise ValueError("it failed")


def test_what_is_awaited_there_is_waited_for_here() -> None:
    loop = LoopThread("a test")
    assert loop.wait(double(2)) == 4
    assert loop.begin(double(3)).result() == 6
    with pytest.raises(ValueError, match="it failed"):
        loop.wait(fail())
    called = threading.Event()
    loop.call(called.set)
    assert called.wait(60)
    assert repr(loop) == "<LoopThread a test>"
    loop.end()
    loop.end()
