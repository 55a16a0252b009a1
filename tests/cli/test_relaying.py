"""penstock outbox relay and replay, as a person uses them, with each broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.servers.penstock import SOURCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.desk import Desk


def test_what_waits_is_published_once(desk: Desk) -> None:
    desk.add(b"1", b"2")
    assert desk.run("relay", "--once") == "2 published\n"
    assert desk.run("relay", "--once") == "0 published\n"
    assert desk.arrived() == [b"1", b"2"]


def test_a_relay_runs_until_it_is_asked_to_stop(desk: Desk) -> None:
    desk.add(b"1")
    command = [sys.executable, "-m", "penstock", "outbox", "relay", "--poll", "0.05"]
    environment = os.environ | {"DATABASE_URL": desk.url, "MQ_URL": desk.broker, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as relay:  # noqa: S603
        try:
            assert relay.stdout is not None
            assert relay.stdout.readline().startswith("relaying penstock_outbox to ")
            desk.add(b"2")
            found: list[bytes] = []
            while len(found) < 2:
                found += desk.arrived()
            assert found == [b"1", b"2"]
        finally:
            relay.send_signal(signal.SIGTERM)
    assert relay.returncode == 0


def test_without_a_broker_nothing_is_published(quiet: Desk) -> None:
    quiet.add(b"1")
    assert "is a broker running there" in quiet.run("relay", "--once", code=1)


def test_replaying_to_everybody_to_one_and_from_an_archive(desk: Desk, tmp_path: Path) -> None:
    desk.add(b"1", b"2", relayed=1)
    assert desk.run("replay", "--type", "ThreadCreated") == "2 published again\n"
    assert desk.run("replay", "--id", "2", "--queue", desk.queue) == "1 published again\n"
    assert desk.arrived() == [b"1", b"2", b"2"]
    assert desk.run("replay", "--since", "2020-01-01", "--until", "2021-01-01T00:00+02:00").startswith("0 ")
    assert "there is no queue nowhere" in desk.run("replay", "--all", "--queue", "nowhere", code=1)
    folder = tmp_path / "archive"
    assert desk.run("prune", "--keep", "0s", "--archive", str(folder)) == "2 deleted\n"
    (file,) = folder.iterdir()
    assert desk.run("replay", "--all", "--archive", str(file), "--rate", "1000") == "2 published again\n"
    assert desk.arrived() == [b"1", b"2"]
