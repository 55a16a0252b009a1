"""The commands, with a database in a file, and a real broker to send to."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Queue, connect
from penstock.messaging.dead_letters import DeadLetterStore, Selection
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings
from tests.messaging.dead_letters.making import FAILED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.messaging.dead_letters import DeadLetter


class Desk:
    """A store in a file, and the commands on it."""

    def __init__(self, file: Path) -> None:
        self.url = f"sqlite:///{file}"
        self.store = DeadLetterStore(self.url)
        self.store.create()
        self.store.keep([letter(1), letter(2), letter(3, type="Other", headers={"region": "us"})])

    def run(self, *arguments: str, code: int = 0, given: str | bytes | None = None) -> str:
        environment = {"MQ_DEAD_LETTERS": self.url, "MQ_URL": None, "COLUMNS": "200"}
        result = CliRunner().invoke(app, ["dead-letters", *arguments], env=environment, input=given)
        assert result.exit_code == code, result.output
        return result.output

    def read(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code))

    def states(self) -> dict[str, str]:
        return {each.message_id: each.state for each in self.store.newest(Selection(state=None), 9)}


def letter(number: int, **changes: Any) -> DeadLetter:
    return replace(FAILED, message_id=f"m{number}", last_failure=1_900_000_000.0 + number, **changes)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "dead-letters.db")
    yield desk
    desk.store.close()


def test_listing(desk: Desk) -> None:
    lines = desk.run("list").splitlines()
    assert [line.split("  ")[3] for line in lines] == ["m3", "m2", "m1"]
    assert lines[1].startswith("2030-03-17 17:46:42Z  commons.Notifications  ThreadCreated  m2  3 attempts")
    assert [each["message_id"] for each in desk.read("list", "--type", "Other")] == ["m3"]
    assert [each["message_id"] for each in desk.read("list", "--where", "region = 'eu'", "--limit", "1")] == [
        "m2"
    ]
    assert desk.read("list", "--state", "redriven") == []
    assert len(desk.read("list", "--state", "any", "--consumer", "commons.Notifications")) == 3


def test_groups(desk: Desk) -> None:
    large, small = desk.run("groups").splitlines()
    assert large.startswith(f"2  {FAILED.group}  commons.Notifications  ThreadCreated")
    assert small.startswith("1  ")
    assert [group["count"] for group in desk.read("groups", "--type", "Other")] == [1]
    assert len(desk.read("list", "--group", FAILED.group)) == 2


def test_showing_one(desk: Desk) -> None:
    assert "trace:\nTraceback …" in desk.run("show", "m1")
    assert desk.read("show", "m1", "--consumer", "commons.Notifications")["body"] == '{"id": 1}'
    assert desk.run("show", "m9", code=1) == "penstock: no dead letter m9\n"


def test_deleting(desk: Desk) -> None:
    asked = desk.run("delete", "m1", "m9", given="n\n", code=1)
    assert asked.startswith("Delete 1 dead letters for good? [y/N]")
    assert "all dead letters that fit" in desk.run("delete", "--where", "region = 'eu'", given="n\n", code=1)
    assert desk.run("delete", "m1", "m9", "--yes") == "1 deleted\n"
    assert desk.read("delete", "--where", "region = 'us'", "--yes") == {"deleted": 1}
    assert "which ones?" in desk.run("delete", code=2)
    assert desk.states() == {"m2": "dead"}
    assert desk.run("delete", "--all", "-y") == "1 deleted\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["list", "--where", "region ="], "region ="),
        (["list", "--state", "gone"], "never gone"),
        (["list", "--store", "x.db"], "a URL like sqlite:///dead-letters.db"),
        (["redrive", "--url", "amqp://127.0.0.1:1/"], "which ones?"),
        (["redrive", "--all"], "which broker?"),
        (["retry", "m1", "--header", "x", "--url", "amqp://127.0.0.1:1/"], "NAME=VALUE"),
    ],
)
def test_what_can_be_mended_is_one_line_and_exit_code_2(desk: Desk, arguments: list[str], told: str) -> None:
    output = desk.run(*arguments, code=2)
    assert told in output
    assert output.count("\n") == 1


def test_nobody_at_the_url_is_told(desk: Desk) -> None:
    output = desk.run("redrive", "--all", "--url", "amqp://guest:sesame@127.0.0.1:1/", code=1)
    assert output.startswith("penstock: ")
    assert "sesame" not in output


def test_without_a_store_it_asks_for_one() -> None:
    result = CliRunner().invoke(
        app, ["dead-letters", "list"], env={"MQ_DEAD_LETTERS": None, "COLUMNS": "200"}
    )
    assert result.exit_code == 2
    assert "--store" in result.output


def test_redriving_and_retrying_with_a_broker(desk: Desk, tmp_path: Path) -> None:
    body = tmp_path / "body.json"
    body.write_bytes(b'{"id": 2}')

    async def story() -> list[tuple[bytes, dict[str, Any]]]:
        settings = Settings(amqp=(Address("127.0.0.1", 0),))
        embedded = await Embedded.start(settings)
        try:
            (url,) = await embedded.listen()
            client = await connect(url)
            await client.declare(Queue("commons.Notifications"))
            await asyncio.to_thread(commands, url)
            found = []
            while delivery := await client.get("commons.Notifications"):
                found.append((delivery.body, dict(delivery.properties.headers or {})))
                delivery.ack()
            await client.close()
        finally:
            await embedded.close()
        return found

    def commands(url: str) -> None:
        assert desk.read("redrive", "m1", "--url", url, "--rate", "100") == {
            "redriven": 1,
            "failed": 0,
            "errors": [],
        }
        edit = ["--body", str(body), "--header", "mended=yes", "--without", "region"]
        assert desk.run("retry", "m2", *edit, "--url", url).startswith("sent as ")
        desk.run("retry", "m3", "--body", "-", "--url", url, "--queue", "nowhere", code=1, given=b"x")
        desk.store.keep([letter(4, queue="gone")])
        output = desk.run("redrive", "--where", "queue = 'gone'", "--url", url, code=1)
        assert output.startswith("0 redriven, 1 failed\n")

    redriven, edited = asyncio.run(story())
    assert redriven[0] == b'{"id": 1}'
    assert redriven[1]["x-penstock-redriven"] == 1
    assert edited[0] == b'{"id": 2}'
    assert edited[1]["mended"] == "yes"
    assert "region" not in edited[1]
    assert desk.states() == {"m1": "redriven", "m2": "retried", "m3": "dead", "m4": "dead"}
