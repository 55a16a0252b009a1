from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.messaging.dead_letters import DeadLetter, DeadLetterStore
from penstock.messaging.message import Destination, Message
from penstock.messaging.opening import open_broker

if TYPE_CHECKING:
    from typer.testing import Result

    from tests.cli.conftest import Commons
    from tests.servers.running import Running

OLDER = "title: str"
NEWER = "name: str"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["contracts", *arguments])


def saved(commons: Commons) -> None:
    result = run("save", commons.target)
    assert (result.exit_code, result.output) == (0, "contracts.json has 1 event.\n")


def put(running: Running, commons: Commons, *bodies: bytes, type_: str = "ThreadCreated") -> None:
    """Have messages wait for the application's consumer."""

    async def work() -> None:
        broker = await open_broker(running.url)
        to = Destination.queue(f"{commons.name}.notifications")
        for number, body in enumerate(bodies):
            await broker.publish(Message(body=body, type=type_, id=f"m{number}"), to)
        await broker.close()

    CliRunner().invoke(app, ["topology", "apply", commons.target, "--url", running.url, "--yes"])
    asyncio.run(work())


def test_what_has_not_changed_is_in_order(commons: Commons) -> None:
    saved(commons)
    result = run("check", commons.target)
    assert result.exit_code == 0
    assert result.output == (
        "Messages that wait were not looked at: name the broker with --url.\nNothing is broken.\n"
    )


def test_a_change_that_breaks_nothing_is_told(commons: Commons) -> None:
    saved(commons)
    commons.write(lambda text: text.replace('title: str = ""', 'title: str = ""\n    more: int = 0'))
    result = run("check", commons.target, "--sample", "0")
    assert result.exit_code == 0
    assert result.output == "· ThreadCreated $.more is a new optional field\nNothing is broken.\n"


def test_a_change_that_breaks_something_fails_until_it_is_saved(commons: Commons) -> None:
    saved(commons)
    commons.write(lambda text: text.replace("id: int", "id: str"))
    result = run("check", commons.target, "--sample", "0")
    assert result.exit_code == 1
    assert result.output == (
        "! ThreadCreated $.id changed from integer to string: messages written before cannot be read,"
        " nor new ones by readers not updated yet\n"
    )
    result = run("save", commons.target)
    assert (result.exit_code, "! ThreadCreated $.id changed" in result.output) == (0, True)
    assert run("check", commons.target, "--sample", "0").exit_code == 0


def test_a_version_with_an_upcaster_is_in_order(commons: Commons) -> None:
    saved(commons)
    upcaster = (
        'from penstock.messaging.events import upcast\n\n@upcast("ThreadCreated", 1)\n'
        "def from_1(content):\n    return {'id': str(content['id'])}\n\n"
    )
    declared = '@event("ThreadCreated", version=2, upcasters=[from_1])'
    commons.write(
        lambda text: text.replace('@event("ThreadCreated")', upcaster + declared).replace(
            "id: int", "id: str"
        )
    )
    result = run("check", commons.target, "--sample", "0")
    assert (result.exit_code, "went from version 1 to 2" in result.output) == (0, True)


def test_messages_that_wait_are_held_against_it(commons: Commons, running: Running) -> None:
    saved(commons)
    put(running, commons, b'{"id":1}', b'{"id":2}')
    result = run("check", commons.target, "--url", running.url)
    assert result.exit_code == 0
    assert f"· {commons.name}.notifications: 2 messages can be read\n" in result.output
    commons.write(lambda text: text.replace('title: str = ""', "title: str"))
    run("save", commons.target)
    result = run("check", commons.target, "--url", running.url)
    assert result.exit_code == 1
    assert (
        f"! {commons.name}.notifications: 2 messages such as m0 cannot be read: ThreadCreated version 1:"
        " Object missing required field `title`\n"
    ) in result.output


def test_each_queue_is_read_as_its_own_consumer_would(commons: Commons, penstock_server: Running) -> None:
    another = (
        '@event("ThreadDeleted")\nclass ThreadDeleted(msgspec.Struct):\n    id: int\n\n'
        '@app.consumer(ThreadDeleted, name="{name}")\nasync def {name}(event):\n    """Nothing."""\n'
    )
    commons.write(lambda text: text + another.replace("{name}", "deletions"))
    run("save", commons.target)
    put(penstock_server, commons, b'{"id":1}', type_="ThreadDeleted")
    result = run("check", commons.target, "--url", penstock_server.url)
    assert result.exit_code == 1
    told = f"{commons.name}.notifications: 1 message such as m0 cannot be read: event 'ThreadDeleted' is not"
    assert told in result.output


def test_a_queue_that_is_not_there_is_said(commons: Commons, penstock_server: Running) -> None:
    saved(commons)
    result = run("check", commons.target, "--url", penstock_server.url)
    assert result.exit_code == 0
    told = f"? {commons.name}.notifications was not looked at: there is no such queue yet\n"
    assert told in result.output


@pytest.mark.parametrize(
    ("error_class", "code"), [("builtins.ValueError", 1), ("penstock.errors.InvalidMessage", 0)]
)
def test_dead_letters_are_held_against_it(commons: Commons, error_class: str, code: int) -> None:
    saved(commons)
    url = f"sqlite:///{commons.folder}/dead-letters.db"
    store = DeadLetterStore(url)
    store.create()
    letter = DeadLetter(
        consumer="c",
        message_id="m1",
        type="ThreadCreated",
        body=b'{"id":"one"}',
        content_type="application/json",
        error_class=error_class,
        last_failure=1.0,
    )
    store.keep([letter])
    store.close()
    result = run("check", commons.target, "--sample", "0", "--dead-letters", url)
    assert result.exit_code == code
    told = "! dead letters: 1 message such as m1 cannot be read: ThreadCreated version 1: Expected `int`"
    assert (told in result.output) is bool(code)


def test_without_a_snapshot_there_is_nothing_to_compare_with(commons: Commons) -> None:
    result = run("check", commons.target)
    assert result.exit_code == 1
    assert "there is no contracts.json yet: make one with `penstock contracts save`" in result.output


def test_a_document_is_written(commons: Commons) -> None:
    result = run("asyncapi", commons.target, "--release", "2.5", "--url", "amqp://ada:secret@h/v")
    assert result.exit_code == 0
    document = json.loads(result.output)
    assert document["info"] == {"title": commons.name, "version": "2.5"}
    assert document["servers"]["broker"]["host"] == "h:5672"
    assert "secret" not in result.output
    assert list(document["operations"]) == ["send.ThreadCreated", "receive.notifications"]
    assert "servers" not in json.loads(run("asyncapi", commons.target).output)


def test_a_program_is_told_the_same(commons: Commons) -> None:
    assert json.loads(run("save", commons.target, "--json").stdout)["changes"] == []
    commons.write(lambda text: text.replace("id: int", "id: str"))
    result = run("check", commons.target, "--sample", "0", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["is_broken"], found["samples"]) == (1, True, [])
    assert found["changes"][0]["breaks"]
    assert json.loads(run("save", commons.target, "--json").stdout)["events"] == 1
