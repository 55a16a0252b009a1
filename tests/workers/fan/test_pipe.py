from __future__ import annotations

import asyncio

import pytest

from penstock.messaging import Message
from penstock.workers.fan.pipe import Pipe
from tests.messaging.fakes import FakeReceived


def received(body: bytes, *, is_lost: bool = False) -> FakeReceived:
    return FakeReceived(Message(body=body), queue="ps_a_1", is_lost=is_lost)


def test_a_message_is_done_with_when_the_next_is_asked_for() -> None:
    async def story() -> None:
        pipe, several = Pipe("ps_a_1"), [received(b"1"), received(b"2")]
        pipe.receive(list(several))
        assert repr(pipe) == "<Pipe ps_a_1, 2 waiting>"
        assert await anext(pipe) == 1
        assert several[0].settled == []
        assert await anext(pipe) == 2
        assert [each.settled for each in several] == [["ack"], []]

    asyncio.run(story())


def test_whoever_waits_is_woken() -> None:
    async def story() -> None:
        pipe = Pipe("ps_a_1")
        waiting = asyncio.ensure_future(anext(pipe))
        await asyncio.sleep(0)
        pipe.receive([received(b'{"route": "/x"}')])
        assert await asyncio.wait_for(waiting, 60) == {"route": "/x"}

    asyncio.run(story())


@pytest.mark.parametrize("body", [b"{", b'"\xff"', b"[" * 100_000], ids=["cut", "no text", "deep"])
def test_what_is_no_json_is_passed_over_and_what_is_lost_comes_again_by_itself(
    caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    async def story() -> None:
        pipe, bad, lost = Pipe("ps_a_1"), received(body), received(b"1", is_lost=True)
        pipe.receive([bad, lost, received(b"2")])
        assert await anext(pipe) == 2
        assert (bad.settled, lost.settled) == (["ack"], ["requeue"])

    asyncio.run(story())
    assert "is no JSON and is passed over" in caplog.text


def test_what_was_not_done_with_goes_back_at_the_end() -> None:
    async def story() -> None:
        pipe, several = Pipe("ps_a_1"), [received(b"1"), received(b"2")]
        pipe.receive(list(several))
        await anext(pipe)
        pipe.close()
        assert [each.settled for each in several] == [["requeue"], ["requeue"]]

    asyncio.run(story())
