from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.server.beanstalk import front as module
from penstock.server.embedded import Embedded
from penstock.settings import Address
from tests.server.beanstalk.talk import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server.beanstalk.talk import Client


@pytest.fixture
def small(tmp_path: Path) -> Iterator[World]:
    """A broker with room for two, and little patience."""
    world = World(tmp_path, max_connections=2, stop_timeout=0.05)
    yield world
    world.close()


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_it_listens_where_it_is_told(world: World, host: str, shown: str) -> None:
    async def main() -> tuple[str, bytes]:
        url = await world.beanstalk.listen("beanstalk", Address(host, 0))
        reader, writer = await asyncio.open_connection(host, int(url.rsplit(":", 1)[1]))
        writer.write(b"list-tube-used\r\n")
        said = await reader.readline()
        await world.beanstalk.close()
        writer.close()
        return url, said

    url, said = world.loop.run_until_complete(main())
    assert url.startswith(f"beanstalk://{shown}:")
    assert said == b"USING default\r\n"


def test_only_so_many_are_let_in(small: World) -> None:
    one, two, three = (small.worker() for _ in range(3))
    assert three.wire.is_over
    one.hang_up()
    assert small.worker().say("list-tube-used") == "USING default"
    assert not two.wire.is_over
    assert repr(small.beanstalk) == "<BeanstalkFront 2 sessions, <Jobs 0, the last is 0>>"


def test_while_it_drains_no_job_is_taken(world: World, client: Client, other: Client) -> None:
    client.put()
    world.beanstalk.drain()
    world.beanstalk.drain()
    assert (
        client.say("put 0 0 60 1", "x", "put 0 0 60 1", "xyz")
        == "DRAINING\r\nEXPECTED_CRLF\r\nUNKNOWN_COMMAND"
    )
    assert client.stats("stats")["draining"] == "true"
    assert other.reserve() == 1


def test_while_memory_or_disk_are_short_no_job_is_taken(world: World, client: Client) -> None:
    world.beanstalk.block("memory")
    assert client.say("put 0 0 60 1", "x") == "OUT_OF_MEMORY"
    world.beanstalk.block(None)
    assert client.say("put 0 0 60 1", "x") == "INSERTED 1"


def test_after_much_was_heard_it_looks_at_memory(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    monkeypatch.setattr(module, "LOOK_AFTER", 100)
    world.beanstalk.on_much = lambda: looks.append(1)
    client.put("x" * 70)
    assert looks == []
    client.put("x" * 70)
    assert looks == [1]


def test_what_is_in_hand_is_waited_for_and_nothing_is_added(
    world: World, client: Client, other: Client
) -> None:
    client.put("a")
    client.put("b")
    client.reserve()
    other.say("watch c", "ignore default", "reserve")
    closing = world.loop.create_task(world.beanstalk.close())
    world.until(lambda: world.beanstalk.is_stopping)
    assert not closing.done()
    # The client's own loop is busy with the close: what it says is heard all the same.
    world.loop.call_soon(client.session.data_received, b"delete 1\r\nreserve\r\n")
    world.loop.run_until_complete(closing)
    assert client.hear() == b"DELETED\r\n"
    assert client.wire.is_over
    assert other.wire.is_over
    assert not world.beanstalk.sessions


def test_who_does_not_settle_is_not_waited_for_for_ever(
    small: World, caplog: pytest.LogCaptureFixture
) -> None:
    client = small.worker()
    client.put()
    client.reserve()
    small.loop.run_until_complete(small.beanstalk.close())
    assert "stopping although not everything is settled" in caplog.text


class Line(asyncio.Protocol):
    """A client in the broker's process that hears one reply after the other."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader()
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self.reader.feed_data(data)

    async def ask(self, *lines: str) -> str:
        """Say lines, and hear the reply to the last, with its data."""
        self.transport.write("".join(f"{line}\r\n" for line in lines).encode())
        async with asyncio.timeout(60):
            words = (await self.reader.readline()).decode().split()
            if words[0] in ("OK", "FOUND", "RESERVED"):
                words.append((await self.reader.readexactly(int(words[-1]) + 2)).decode())
        return " ".join(words)


COUNTS = ("reserves", "timeouts", "releases", "buries", "kicks", "delay")
#: What is counted of jobs that come back.
COUNTED = {
    1: "1 0 1 0 0 0",
    2: "2 0 2 0 0 0",
    3: "2 1 0 1 1 0",
    601: "1 0 1 0 0 9",
    602: "1 0 0 1 0 0",
    600: "0 0 0 0 0 0",
}


def test_jobs_come_back_as_they_were(tmp_path: Path) -> None:
    clock = VirtualClock(1_000_000.0)

    async def before() -> None:
        embedded = await Embedded.start(data=tmp_path, clock=clock)
        _, line = await embedded.dial_beanstalk(Line)
        await line.ask("use jobs")
        await line.ask("watch jobs")
        line.transport.write(b"".join(b"put 7 0 60 3\r\n%03d\r\n" % number for number in range(600)))
        for _ in range(600):
            await line.reader.readline()
        await line.ask("put 7 9 5 7", "delayed")
        await line.ask("put 5 0 60 6", "buried")
        assert await line.ask("reserve") == "RESERVED 602 6 buried\r\n"
        await line.ask("bury 602 3")
        await line.ask("reserve-job 1")
        assert await line.ask("release 1 9 0") == "RELEASED"
        for _ in range(2):
            await line.ask("reserve-job 2")
            await line.ask("release 2 7 0")
        # It is kicked, and times out.
        await line.ask("reserve-job 3")
        await line.ask("bury 3 7")
        await line.ask("kick-job 3")
        await line.ask("reserve-job 3")
        clock.advance(61)
        assert "timeouts: 1\n" in await line.ask("stats-job 3")
        await line.ask("reserve-job 601")
        await line.ask("release 601 7 9")
        # A tube that a client left empty, and one in which a job is in hand.
        await line.ask("use empty")
        line.transport.close()
        await embedded.close()

    async def after() -> None:
        embedded = await Embedded.start(data=tmp_path, clock=clock)
        _, line = await embedded.dial_beanstalk(Line)
        assert list(embedded.beanstalk.tubes) == ["default", "jobs"]
        told = await line.ask("stats-tube jobs")
        for each in ("ready: 600", "delayed: 1", "buried: 1"):
            assert f"current-jobs-{each}\n" in told
        assert "pri: 3\n" in await line.ask("stats-job 602")
        for job, expected in COUNTED.items():
            told = await line.ask(f"stats-job {job}")
            found = dict(re.findall(r"^([a-z]+): (\d+)$", told, re.MULTILINE))
            assert [found[name] for name in COUNTS] == expected.split(), job
        assert "ttr: 5\n" in await line.ask("stats-job 601")
        assert "pri: 9\n" in await line.ask("stats-job 1")
        assert await line.ask("delete 300") == "DELETED"
        assert await line.ask("delete 300") == "NOT_FOUND"
        assert await line.ask("peek 301") == "FOUND 301 3 300\r\n"
        await line.ask("watch jobs")
        assert await line.ask("reserve") == "RESERVED 2 3 001\r\n"
        assert await line.ask("put 0 0 60 1", "x") == "INSERTED 603"
        embedded.beanstalk.settings = replace(embedded.beanstalk.settings, stop_timeout=0)
        line.transport.close()
        await embedded.close()

    asyncio.run(before())
    asyncio.run(after())
