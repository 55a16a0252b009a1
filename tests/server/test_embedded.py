from __future__ import annotations

import asyncio
import gc
import signal
import ssl
import threading
from typing import TYPE_CHECKING, Any

import pytest
import uvloop

from penstock.clock import VirtualClock
from penstock.errors import BadSetting, StoreError
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings
from penstock.store import Batch, MemoryStore, SqliteStore
from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk, ConnectionClose, ConnectionCloseOk
from tests.server.certified import Authority
from tests.server.peer import Peer, until

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Runs a story on the loop that an application may have."""
    runner: Callable[[Coroutine[Any, Any, None]], None] = request.param
    return runner


def test_a_client_in_the_process_gets_what_it_sent(
    run: Callable[[Coroutine[Any, Any, None]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        embedded = await Embedded.start()
        peer = await Peer.enter(embedded.dial)
        await peer.declare("q")
        peer.publish("q", b"hello")
        await until(lambda: peer.confirmed == peer.sent == 1)
        await peer.ask(BasicConsumeOk, BasicConsume("q", no_ack=True))
        await until(lambda: peer.delivered)
        assert peer.delivered == [(1, b"hello")]
        (session,) = embedded.front.sessions
        assert repr(session) == "<AmqpSession here of 'guest', 1 channels>"
        assert repr(embedded) == "<Embedded open, <AmqpFront 1 sessions, blocked: None>>"
        await peer.leave()
        await embedded.close()

    run(story())
    assert capsys.readouterr() == ("", "")


def test_it_leaves_the_process_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def seen() -> tuple[object, ...]:
        return (gc.get_threshold(), signal.getsignal(signal.SIGTERM), set(threading.enumerate()))

    async def story() -> None:
        embedded = await Embedded.start()
        peer = await Peer.enter(embedded.dial)
        await peer.declare("q")
        peer.publish("q", bytes(100_000))
        await until(lambda: peer.confirmed)
        await peer.leave()
        assert seen()[:2] == before[:2]
        await embedded.close()
        assert "TimerHandle cancelled" in repr(embedded._alarms._timer)
        # A second time there is nothing to do.
        monkeypatch.delattr(embedded, "front")
        await embedded.close()

    # Of what the tests have frozen some may still go, so that to count it before and after would not do.
    monkeypatch.setattr(gc, "freeze", lambda: pytest.fail("froze what is not its own"))
    before = seen()
    # The loop's own threads, in which passwords are checked, go with the loop.
    asyncio.run(story())
    assert seen() == before
    assert list(tmp_path.iterdir()) == []


def test_who_is_in_is_told_that_it_closes_and_nobody_comes_in_after() -> None:
    async def story() -> None:
        embedded = await Embedded.start()
        peer = await Peer.enter(embedded.dial)
        closing = asyncio.create_task(embedded.close())
        assert (await peer.hear(ConnectionClose)).reply_code == 320
        peer.say(ConnectionCloseOk(), channel=0)
        await closing
        with pytest.raises(ConnectionRefusedError, match="the embedded broker is closed"):
            await embedded.dial(Peer)
        assert not embedded.is_open
        assert not embedded.front.sessions

    asyncio.run(story())


def test_a_client_that_cannot_begin_leaves_no_trace() -> None:
    class Clumsy(Peer):
        def __init__(self) -> None:
            raise ValueError("not like this")

    async def story() -> None:
        embedded = await Embedded.start()
        with pytest.raises(ValueError, match="not like this"):
            await embedded.dial(Clumsy)
        await until(lambda: not embedded.front.sessions)
        await embedded.close()
        gc.collect()

    asyncio.run(story())


def test_what_is_kept_in_a_folder_comes_back(tmp_path: Path) -> None:
    async def put() -> None:
        embedded = await Embedded.start(data=tmp_path)
        peer = await Peer.enter(embedded.dial)
        await peer.declare("q")
        peer.publish("q", b"kept")
        await until(lambda: peer.confirmed)
        await peer.leave()
        await embedded.close()

    async def get() -> None:
        embedded = await Embedded.start(Settings(data=tmp_path))
        queue = embedded.broker.hosts["/"].wiring.queue("q")
        assert [reference.message.body for reference in queue.peek()] == [b"kept"]
        await embedded.close()

    asyncio.run(put())
    asyncio.run(get())


def test_it_goes_by_the_clock_it_is_given() -> None:
    async def story() -> None:
        clock = VirtualClock(1000.0)
        embedded = await Embedded.start(clock=clock)
        peer = await Peer.enter(embedded.dial)
        await peer.declare("q")
        peer.publish("q", b"later", headers={"x-delay": 5000})
        await until(lambda: peer.confirmed)
        queue = embedded.broker.hosts["/"].wiring.queue("q")
        assert (queue.ready, len(queue.timers.delayed)) == (0, 1)
        clock.advance(5)
        assert (queue.ready, len(queue.timers.delayed)) == (1, 0)
        await peer.leave()
        await embedded.close()

    asyncio.run(story())


def test_its_statistics_are_looked_at_by_themselves_and_know_its_connections() -> None:
    async def story() -> None:
        clock = VirtualClock(1000.0)
        embedded = await Embedded.start(clock=clock)
        statistics = embedded.broker.statistics
        peer = await Peer.enter(embedded.dial)
        assert not statistics.is_due(clock.advance(4.0))
        assert statistics.is_due(clock.advance(1.0))
        embedded._alarms.on_look()
        assert not statistics.is_due(clock.now())
        [session] = embedded.front.sessions
        values = session.received, session.sent
        assert statistics.rates(session, values, clock.now()) == tuple(each / 5.0 for each in values)
        await peer.leave()
        await embedded.close()

    asyncio.run(story())


def test_a_store_that_is_open_can_be_given_to_it() -> None:
    store = MemoryStore()

    async def story() -> None:
        embedded = await Embedded.start(store=store)
        peer = await Peer.enter(embedded.dial)
        await peer.declare("q")
        await peer.leave()
        await embedded.close()

    asyncio.run(story())
    assert "/\0q" in {key for _, key, _ in store.definitions()}


def test_it_may_listen_too() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=(Address("127.0.0.1", 0),)))
        (url,) = await embedded.listen()
        port = int(url.rpartition(":")[2])

        def over_tcp(factory: Callable[[], Peer]) -> Coroutine[Any, Any, tuple[Any, Peer]]:
            return asyncio.get_running_loop().create_connection(factory, "127.0.0.1", port)

        peer = await Peer.enter(over_tcp)
        await peer.leave()
        await embedded.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        (Settings(), "amqp://guest:guest@embedded/%2F"),
        (
            Settings(default_user="a b", default_password=":/", default_vhost="v"),  # noqa: S106
            "amqp://a%20b:%3A%2F@embedded/v",
        ),
    ],
)
def test_its_url_says_who_a_client_is(settings: Settings, url: str) -> None:
    async def story() -> None:
        embedded = await Embedded.start(settings)
        assert embedded.url == url
        await embedded.close()

    asyncio.run(story())


def test_a_wrong_password_is_refused_as_on_any_socket(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        embedded = await Embedded.start()
        with pytest.raises(AssertionError, match="ACCESS_REFUSED"):
            await Peer.enter(embedded.dial, "nobody")
        await embedded.close()

    asyncio.run(story())
    assert "login refused: user 'nobody' from here: invalid credentials" in caplog.text


def test_what_cannot_start_leaves_its_folder_free(tmp_path: Path) -> None:
    definitions = tmp_path / "definitions.json"
    definitions.write_text("no json")

    async def story() -> None:
        with pytest.raises(BadSetting):
            await Embedded.start(Settings(definitions=definitions), data=tmp_path / "data")
        await (await Embedded.start(data=tmp_path / "data")).close()

    asyncio.run(story())


def test_what_is_damaged_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = SqliteStore(tmp_path)
    batch = Batch(1)
    batch.messages = [(1, 2, b"", "", "q", 100, None, "lost", 1)]
    batch.references = [(1, 0, 1, 1, 0, 0.0, None, 0, 0, 0, None, None)]
    store.write(batch)
    store.close()

    async def story() -> None:
        await (await Embedded.start(data=tmp_path)).close()

    asyncio.run(story())
    assert "its content file lost is missing" in caplog.text


def test_too_little_memory_blocks_publishers() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(memory_limit=1 << 20))
        assert embedded.front.blocked == "low on memory"
        await embedded.close()

    asyncio.run(story())


def test_it_begins_without_anybody_to_ask_for_it() -> None:
    async def story() -> None:
        store = MemoryStore()
        embedded = await Embedded.start(store=store)
        await until(store.definitions)
        await embedded.close()

    asyncio.run(story())


def test_trouble_with_the_store_blocks_publishers() -> None:
    class Broken(MemoryStore):
        is_broken = False

        def write(self, batch: Batch) -> None:
            if self.is_broken:
                raise StoreError("not today")
            super().write(batch)

    store = Broken()

    async def story() -> None:
        embedded = await Embedded.start(Settings(stop_timeout=0), store=store)
        peer = await Peer.enter(embedded.dial)
        store.is_broken = True
        await peer.declare("q")
        await until(lambda: embedded.front.blocked)
        assert embedded.front.blocked == "low on disk"
        peer.transport.abort()
        await embedded.close()

    asyncio.run(story())


# Beanstalk


class Caller(asyncio.Protocol):
    """A beanstalk client that keeps what it hears."""

    def __init__(self) -> None:
        self.heard = b""

    def data_received(self, data: bytes) -> None:
        self.heard += data


def test_a_beanstalk_client_in_the_process_is_served_too(
    run: Callable[[Coroutine[Any, Any, None]], None],
) -> None:
    async def story() -> None:
        embedded = await Embedded.start()
        transport, caller = await embedded.dial_beanstalk(Caller)
        transport.write(b"put 0 0 60 5\r\nhello\r\nreserve\r\n")
        await until(lambda: caller.heard.endswith(b"RESERVED 1 5\r\nhello\r\n"))
        embedded.drain()
        transport.write(b"delete 1\r\nput 0 0 60 0\r\n\r\n")
        await until(lambda: caller.heard.endswith(b"DELETED\r\nDRAINING\r\n"))
        await embedded.close()
        with pytest.raises(ConnectionRefusedError):
            await embedded.dial_beanstalk(Caller)

    run(story())


def test_beanstalk_is_spoken_where_the_settings_say_with_tls_and_without(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")
    somewhere = (Address("127.0.0.1", 0),)
    settings = Settings(
        amqp=(), beanstalk=somewhere, beanstalks=somewhere, amqps_certificate=certificate, amqps_key=key
    )

    async def story() -> None:
        embedded = await Embedded.start(settings)
        plain, tls = await embedded.listen()
        assert plain.startswith("beanstalk://127.0.0.1:")
        assert tls.startswith("beanstalks://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=authority.file)
        for url, context in ((plain, None), (tls, trusted)):
            port = int(url.rsplit(":", 1)[1])
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
            writer.write(b"list-tube-used\r\nquit\r\n")
            assert await asyncio.wait_for(reader.read(), 60) == b"USING default\r\n"
            writer.close()
        await embedded.close()

    asyncio.run(story())


def test_a_shortage_keeps_jobs_out_too() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(memory_limit=1 << 20))
        assert embedded.beanstalk.blocked == embedded.front.blocked is not None
        await embedded.close()

    asyncio.run(story())
