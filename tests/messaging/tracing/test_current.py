from __future__ import annotations

import asyncio

import pytest

from penstock.messaging.tracing import Trace, current_trace, untraced, within

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")


def test_a_trace_holds_within_a_block_and_in_tasks_that_begin_there() -> None:
    async def story() -> None:
        with within(TRACE):
            task = asyncio.create_task(found())
            with untraced():
                assert current_trace() is None
            assert current_trace() == TRACE
        assert current_trace() is None
        assert await task == TRACE

    async def found() -> Trace | None:
        await asyncio.sleep(0)
        return current_trace()

    asyncio.run(story())


def test_an_error_leaves_the_trace_as_well() -> None:
    for block in (within(TRACE), untraced()):
        with pytest.raises(ValueError, match="no"), block:
            raise ValueError("no")
    assert current_trace() is None
