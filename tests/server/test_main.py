from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
from typing import TYPE_CHECKING, Any

import pytest

from penstock.server import main
from penstock.server.main import serve
from penstock.settings import Address, Settings
from penstock.store import Batch, SqliteStore
from tests.server.certified import Authority

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.server.embedded import Embedded

SOMEWHERE = (Address("127.0.0.1", 0),)


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """A broker sets up the garbage collector for itself; the tests go on without it."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.fixture(autouse=True)
def files() -> Iterator[tuple[int, int]]:
    """How many files this process may have open, at present and at most; a broker takes them all."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = (min(256, before[1]), before[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, few)
    yield few
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def run(settings: Settings, monkeypatch: pytest.MonkeyPatch, beside: Any = None) -> None:
    """Run a broker that is told to stop as soon as it is ready."""
    freeze = gc.freeze

    def ready() -> None:
        freeze()
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(gc, "freeze", ready)
    serve(settings, beside)


@pytest.mark.parametrize("is_kept", [False, True], ids=["in memory", "on disk"])
def test_it_says_where_it_is_and_stops_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    run(Settings(amqp=SOMEWHERE, data=tmp_path / "data" if is_kept else None), monkeypatch)
    assert capsys.readouterr().out.startswith("penstock is ready: amqp://127.0.0.1:")
    assert (tmp_path / "data").exists() is is_kept


def test_something_may_be_served_beside_it_and_ends_before_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    class Neighbour:
        urls = ("http://here",)

        def __init__(self, embedded: Embedded) -> None:
            self.embedded = embedded

        async def close(self) -> None:
            seen.append(self.embedded.is_open)

    async def beside(embedded: Embedded) -> Neighbour:
        return Neighbour(embedded)

    run(Settings(amqp=SOMEWHERE), monkeypatch, beside)
    assert capsys.readouterr().out.endswith(" http://here\n")
    assert seen == [True]


def test_bodies_of_a_memory_broker_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run(Settings(amqp=SOMEWHERE), monkeypatch)
    assert list(tmp_path.iterdir()) == []


def test_it_listens_with_tls_where_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = Authority(tmp_path).issue("localhost")
    settings = Settings(amqp=(), amqps=SOMEWHERE, amqps_certificate=certificate, amqps_key=key)
    run(settings, monkeypatch)
    assert capsys.readouterr().out.startswith("penstock is ready: amqps://127.0.0.1:")


def test_what_is_damaged_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path)
    batch = Batch(1)
    batch.messages = [(1, 2, b"", "", "q", 100, None, "lost", 1)]
    batch.references = [(1, 0, 1, 1, 0, 0.0, None, 0, 0, 0, None, None)]
    store.write(batch)
    store.close()
    run(Settings(amqp=SOMEWHERE, data=tmp_path), monkeypatch)
    assert "its content file lost is missing" in caplog.text


def test_the_second_signal_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setattr(signal, "signal", lambda number, how: done.append((number, how)))
    monkeypatch.setattr(signal, "raise_signal", done.append)
    stop = asyncio.Event()
    main._stop(stop, signal.SIGTERM)
    assert (stop.is_set(), done) == (True, [])
    main._stop(stop, signal.SIGTERM)
    assert done == [(signal.SIGTERM, signal.SIG_DFL), signal.SIGTERM]


def test_a_broker_may_have_as_many_files_open_as_the_machine_lets_it(
    monkeypatch: pytest.MonkeyPatch, files: tuple[int, int]
) -> None:
    run(Settings(amqp=SOMEWHERE), monkeypatch)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (files[1], files[1])


def test_the_signal_that_drains_beanstalkd_drains_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    freeze = gc.freeze

    def ready() -> None:
        freeze()
        os.kill(os.getpid(), signal.SIGUSR1)
        asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(gc, "freeze", ready)
    caplog.set_level("INFO")
    serve(Settings(amqp=SOMEWHERE))
    assert "draining: beanstalk clients can put no more jobs" in caplog.text
