"""A disk that is full, write-protected, damaged or somebody else's."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.broker import FaultyBroker, wait_for
from tests.faults.disks import fill, protect, protected, small_disk, unprotect
from tests.faults.test_large import publish_large, read_large
from tests.servers.penstock import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conversations.line import Channel

#: The alarm would block the publisher long before the disk is full; here it must get there.
NO_ALARM = ("--disk-free-limit", "0", "--stop-timeout", "2s")
PERSISTENT: dict[str, Any] = {"delivery_mode": 2}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 48 MB, on which the broker keeps its data."""
    with small_disk(tmp_path / "data", "48m"):
        yield tmp_path / "data"


@pytest.fixture
def broker(tmp_path: Path, disk: Path) -> Iterator[FaultyBroker]:
    with FaultyBroker(tmp_path, *NO_ALARM) as broker:
        broker.start()
        with broker.channel() as channel:
            channel.ask("queue.declare", queue="kept", durable=True)
        yield broker


def confirmed(channel: Channel, *, within: float) -> int:
    """The highest publish that is confirmed, after waiting so long for the next one."""
    last = 0
    while channel.line.inbox[1] or channel.line.read(until=time.monotonic() + within):
        while channel.line.inbox[1]:
            method = channel.expect("basic.ack")
            last = max(last, method.delivery)
    return last


@contextlib.contextmanager
def publishing(channel: Channel, count: int) -> Iterator[None]:
    """Publish beside the test: a broker with a full disk stops reading, and whoever sends has to wait."""

    # The line sets its socket's timeout for each read: whoever sends meanwhile needs one of its own.
    sender = channel.line.socket.dup()
    sender.settimeout(60)
    channel.line.send_bytes = sender.sendall  # type: ignore[assignment,method-assign]

    def publish() -> None:
        with contextlib.suppress(OSError):
            for number in range(1, count + 1):
                channel.publish(b"%d " % number + bytes(2000), "kept", **PERSISTENT)

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        yield
    finally:
        publisher.join()
        del channel.line.send_bytes
        sender.close()


def survivors(broker: FaultyBroker) -> list[int]:
    with broker.channel() as channel:
        count = channel.count("kept")
        channel.consume("kept")
        return [int(channel.delivery().body.split()[0]) for _ in range(count)]


def test_a_full_disk_confirms_nothing_and_loses_nothing(broker: FaultyBroker, disk: Path) -> None:
    ballast = fill(disk, 4_000_000)
    with broker.channel() as channel:
        channel.call("confirm.select")
        with publishing(channel, 4000):
            before = confirmed(channel, within=2)
            assert before < 4000, "the disk was not full"
            ballast.unlink()
            wait_for(lambda: confirmed(channel, within=0.1) == 4000, "all confirms, with room on the disk")
    broker.kill()
    broker.start()
    assert survivors(broker) == list(range(1, 4001))


def test_what_was_confirmed_survives_a_kill_on_a_full_disk(broker: FaultyBroker, disk: Path) -> None:
    ballast = fill(disk, 4_000_000)
    with broker.channel() as channel:
        channel.call("confirm.select")
        with publishing(channel, 4000):
            before = confirmed(channel, within=2)
            assert before < 4000, "the disk was not full"
            broker.kill()
    ballast.unlink()
    broker.start()
    found = survivors(broker)
    # A batch may have been written whose confirms did not leave any more.
    assert found == list(range(1, len(found) + 1))
    assert len(found) >= before


def test_a_large_body_that_does_not_fit_is_refused(broker: FaultyBroker, disk: Path) -> None:
    ballast = fill(disk, 3_000_000)
    with broker.channel() as channel:
        channel.call("confirm.select")
        publish_large(channel, "kept", 8_000_000, **PERSISTENT)
        assert channel.wait_for("basic.ack", "basic.nack").name == "basic.nack"
        ballast.unlink()
        sent = publish_large(channel, "kept", 8_000_000, **PERSISTENT)
        assert channel.wait_for("basic.ack", "basic.nack").name == "basic.ack"
        channel.send("basic.get", queue="kept", no_ack=True)
        assert read_large(channel) == sent
    wait_for(lambda: not any((disk / "contents").iterdir()), "the end of the content files")


def test_a_large_body_that_does_not_fit_ends_who_would_not_hear_it(broker: FaultyBroker, disk: Path) -> None:
    fill(disk, 3_000_000)
    with broker.channel() as channel:
        publish_large(channel, "kept", 8_000_000, **PERSISTENT)
        assert channel.line.closed_by_broker()[0] == 506
    with broker.channel() as channel:
        assert channel.count("kept") == 0


def test_a_write_protected_disk_confirms_nothing_until_it_can_be_written(
    broker: FaultyBroker, disk: Path
) -> None:
    with broker.channel() as channel:
        channel.call("confirm.select")
        # SQLite keeps its files open for writing, and so no disk can be protected under it: what it
        # would have to open anew can be, a content file.
        channel.publish("before", "kept", **PERSISTENT)
        channel.wait_for("basic.ack")
    broker.stop()
    protect(disk)
    assert exit_of(broker) != 0
    unprotect(disk)
    broker.start()
    with broker.channel() as channel:
        assert channel.get("kept").body == b"before"


def test_large_bodies_are_refused_while_their_folder_cannot_be_written(
    broker: FaultyBroker, disk: Path
) -> None:
    with broker.channel() as channel:
        channel.call("confirm.select")
        with protected(disk / "contents"):
            publish_large(channel, "kept", 100_000, **PERSISTENT)
            assert channel.wait_for("basic.ack", "basic.nack").name == "basic.nack"
            # What needs no file of its own goes on.
            channel.publish("small", "kept", **PERSISTENT)
            channel.wait_for("basic.ack")
        sent = publish_large(channel, "kept", 100_000, **PERSISTENT)
        channel.wait_for("basic.ack")
        assert channel.get("kept").body == b"small"
        channel.send("basic.get", queue="kept", no_ack=True)
        assert read_large(channel) == sent
    assert "internal error" not in broker.log


def test_a_disk_that_refuses_every_write_confirms_nothing_until_it_takes_them(broker: FaultyBroker) -> None:
    """A disk cannot be protected under SQLite's open files; but a process can be kept from writing to any."""
    _, hard = resource.prlimit(broker.pid, resource.RLIMIT_FSIZE)
    with broker.channel() as channel:
        channel.call("confirm.select")
        resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (1_000_000, hard))
        with publishing(channel, 4000):
            before = confirmed(channel, within=2)
            assert before < 4000, "the disk took it all"
            resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (hard, hard))
            wait_for(lambda: confirmed(channel, within=0.1) == 4000, "all confirms, on a disk that works")
    broker.kill()
    broker.start()
    assert survivors(broker) == list(range(1, 4001))


def exit_of(broker: FaultyBroker) -> int:
    """Start a broker that must not come up; what it ends with. What it says is in the log."""
    command = [
        sys.executable,
        "-m",
        "penstock",
        "broker",
        "--amqp",
        "127.0.0.1:0",
        "--data",
        str(broker.data),
    ]
    with (broker.folder / "second.log").open("wb") as log:
        done = subprocess.run(
            command, check=False, stdout=log, stderr=log, env={"PYTHONPATH": str(SOURCE)}, timeout=60
        )
    return done.returncode


def test_two_brokers_never_share_a_folder(broker: FaultyBroker) -> None:
    assert exit_of(broker) != 0
    said = (broker.folder / "second.log").read_text()
    assert str(broker.data) in said.replace("\n", "")
    assert "Traceback" not in said
    with broker.channel() as channel:
        channel.publish_safely("still here", "kept", **PERSISTENT)


def test_a_torn_content_file_is_put_aside(broker: FaultyBroker, disk: Path) -> None:
    with broker.channel() as channel:
        channel.call("confirm.select")
        publish_large(channel, "kept", 100_000, 1, **PERSISTENT)
        channel.wait_for("basic.ack")
        torn = max((disk / "contents").iterdir(), key=lambda file: file.stat().st_mtime)
        sent = publish_large(channel, "kept", 100_000, 2, **PERSISTENT)
        channel.wait_for("basic.ack")
        channel.publish("small", "kept", **PERSISTENT)
        channel.wait_for("basic.ack")
    broker.kill()
    with torn.open("r+b") as file:
        file.truncate(50_000)
    broker.start()
    with broker.channel() as channel:
        channel.consume("kept", no_ack=True)
        assert read_large(channel) == sent
        assert channel.delivery().body == b"small"
    assert "is lost: its content file" in broker.log
    assert any((disk / "quarantine").iterdir())


def test_a_content_file_torn_while_it_waits_is_passed_over(broker: FaultyBroker, disk: Path) -> None:
    with broker.channel() as channel:
        channel.call("confirm.select")
        publish_large(channel, "kept", 100_000, 1, **PERSISTENT)
        channel.publish("small", "kept", **PERSISTENT)
        while channel.wait_for("basic.ack").delivery < 2:
            pass
        for file in (disk / "contents").iterdir():
            with file.open("r+b") as torn:
                torn.truncate(50_000)
        channel.consume("kept")
        assert channel.delivery().body == b"small"
        assert channel.is_still_open()
    wait_for(lambda: not any((disk / "contents").iterdir()), "the end of the content file")
