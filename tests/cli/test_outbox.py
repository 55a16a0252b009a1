"""The commands, with a database in a file, a real PostgreSQL to guard, and real brokers to publish to."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Queue, connect
from penstock.messaging import Destination, Message
from penstock.outbox import Outbox
from tests.servers import postgresql
from tests.servers.penstock import SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.running import Running


class Desk:
    """An outbox in a file, and the commands on it."""

    def __init__(self, file: Path, broker: str) -> None:
        self.url = f"sqlite:///{file}"
        self.broker = broker
        self.queue = f"outbox-{uuid.uuid4().hex[:8]}"
        self.engine = sa.create_engine(self.url)
        self.outbox = Outbox()
        self.outbox.metadata.create_all(self.engine)

    @property
    def environment(self) -> dict[str, str | None]:
        return {"DATABASE_URL": self.url, "MQ_URL": self.broker, "COLUMNS": "200"}

    def add(self, *bodies: bytes, **more: Any) -> None:
        with self.engine.begin() as connection:
            for body in bodies:
                message = Message(body=body, id=body.decode(), type="ThreadCreated")
                self.outbox.add(connection, message, to=Destination.queue(self.queue), **more)

    def change(self, **values: Any) -> None:
        with self.engine.begin() as connection:
            connection.execute(sa.update(self.outbox.table).values(**values))

    def run(self, *arguments: str, code: int = 0, given: str | None = None) -> str:
        result = CliRunner().invoke(app, ["outbox", *arguments], env=self.environment, input=given)
        assert result.exit_code == code, result.output
        return result.output

    def arrived(self) -> list[bytes]:
        """What is in the queue now; it is empty afterwards."""

        async def fetch() -> list[bytes]:
            async with await connect(self.broker) as client:
                await client.declare(Queue(self.queue))
                bodies = []
                while delivery := await client.get(self.queue):
                    bodies.append(bytes(delivery.body))
                    delivery.ack()
                return bodies

        return asyncio.run(fetch())


@pytest.fixture
def desk(tmp_path: Path, running: Running) -> Iterator[Desk]:
    desk = Desk(tmp_path / "app.db", running.url)
    assert desk.arrived() == []
    yield desk
    desk.engine.dispose()


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[Desk]:
    """Without a broker."""
    desk = Desk(tmp_path / "app.db", "amqp://127.0.0.1:1/")
    yield desk
    desk.engine.dispose()


def test_the_status_of_a_healthy_outbox(quiet: Desk) -> None:
    assert quiet.run("status") == "0 waiting, the oldest for 0.0 s\n0 set aside, 0 relayed and kept\n"


def test_failures_are_shown_and_told_to_scripts(quiet: Desk) -> None:
    quiet.add(b"1")
    quiet.change(relayed=-1, attempts=5, error="Unroutable: nobody")
    assert quiet.run("status", code=1).splitlines()[1:] == [
        "1 set aside, 0 relayed and kept",
        "1  ThreadCreated  5 attempts, set aside: Unroutable: nobody",
    ]
    assert json.loads(quiet.run("status", "--json", code=1))["set_aside"] == 1
    assert quiet.run("retry") == "1 put back\n"
    assert json.loads(quiet.run("status", "--json"))["waiting"] == 1


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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["replay"], "penstock: which ones? Say --since"),
        (["replay", "--since", "yesterday"], "penstock: since: 'yesterday' is no instant"),
        (["prune", "--keep", "long"], "penstock: keep: 'long' is not"),
        (["status", "--database", "mysql://x"], "penstock: an outbox is kept in PostgreSQL or SQLite"),
    ],
)
def test_what_cannot_be_understood_is_one_line_and_exit_code_2(
    quiet: Desk, arguments: list[str], told: str
) -> None:
    output = quiet.run(*arguments, code=2)
    assert output.startswith(told)
    assert output.count("\n") == 1


def test_an_outbox_that_is_not_there_is_told(quiet: Desk) -> None:
    assert "no such table: elsewhere" in quiet.run("status", "--outbox", "elsewhere", code=1)


# guard


@pytest.fixture(scope="module")
def database(real_program: Callable[[str], Path]) -> Iterator[str]:
    server = postgresql.start(real_program("postgresql"))
    assert server.running is not None
    yield postgresql.url_of(server.running)
    server.destroy()


def test_guarding_shows_the_plan_and_does_it_when_told_to(database: str) -> None:
    engine = sa.create_engine(database)
    with engine.begin() as connection:
        for statement in (
            "CREATE ROLE app",
            "CREATE ROLE clerk",
            "CREATE TABLE threads (id int)",
            "GRANT UPDATE ON threads TO clerk",
        ):
            connection.execute(sa.text(statement))

    def guard(*more: str, given: str | None = None) -> tuple[int, list[str]]:
        arguments = ["outbox", "guard", "--database", database, "--role", "app", "threads", *more]
        result = CliRunner().invoke(app, arguments, input=given, env={"COLUMNS": "200"})
        return result.exit_code, result.output.splitlines()

    revoke = "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON threads FROM clerk;"
    code, lines = guard(given="n\n")
    assert (code, lines[0], lines[-1]) == (0, revoke, "nothing was changed")
    assert guard("--yes") == (
        0,
        [
            revoke,
            "GRANT SELECT, INSERT, UPDATE, DELETE ON threads TO app;",
            "still: postgres can INSERT, UPDATE, DELETE, TRUNCATE threads: superuser",
        ],
    )
    assert revoke not in guard("--yes")[1]
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE threads OWNER TO clerk"))
    assert guard("--yes")[0] == 1
    engine.dispose()
