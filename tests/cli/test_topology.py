from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Binding, Outgoing, Queue, connect

if TYPE_CHECKING:
    from typer.testing import Result

    from penstock.client import Exchange
    from tests.cli.conftest import Commons
    from tests.servers.running import Running


def run(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(app, ["topology", *arguments], input=answer)


def prepare(running: Running, *things: Exchange | Queue | Binding, message_to: str = "") -> None:
    async def work() -> None:
        async with await connect(running.url) as client:
            await client.declare(*things)
            if message_to:
                await client.publish(Outgoing("", message_to, b"x"))

    asyncio.run(work())


def exists(running: Running, queue: str) -> bool:
    async def work() -> bool:
        async with await connect(running.url) as client:
            return await client.queue_state(queue) is not None

    return asyncio.run(work())


def test_plan_shows_and_changes_nothing(commons: Commons, penstock_server: Running) -> None:
    for _ in range(2):
        result = run("plan", commons.target, "--url", penstock_server.url)
        assert result.exit_code == 0
        assert f"+ topic exchange {commons.name}\n" in result.output
        assert f"+ queue {commons.name}.notifications (x-dead-letter-exchange=''" in result.output
        assert f"+ binding {commons.name}[ThreadCreated] -> {commons.name}.notifications\n" in result.output
    assert run("check", commons.target, "--url", penstock_server.url).exit_code == 1


def test_apply_asks_first(commons: Commons, penstock_server: Running) -> None:
    result = run("apply", commons.target, "--url", penstock_server.url, answer="n\n")
    assert (result.exit_code, "Do this?" in result.output) == (1, True)
    assert not exists(penstock_server, f"{commons.name}.notifications")
    result = run("apply", commons.target, "--url", penstock_server.url, answer="y\n")
    assert (result.exit_code, result.output.endswith("Done.\n")) == (0, True)
    assert exists(penstock_server, f"{commons.name}.notifications")


def test_what_is_applied_is_in_order(commons: Commons, running: Running) -> None:
    assert run("apply", commons.target, "--url", running.url, "--yes").exit_code == 0
    result = run("check", commons.target, "--url", running.url)
    assert result.exit_code == 0, result.output
    assert result.output.endswith("The broker has everything that is wanted.\n")
    seen = "Not everything was seen: only whether declared queues exist was seen"
    assert (seen in result.output) is (running.name == "rabbitmq")


def test_where_nothing_is_to_be_done_nothing_is_asked(commons: Commons, penstock_server: Running) -> None:
    run("apply", commons.target, "--url", penstock_server.url, "--yes")
    result = run("apply", commons.target, "--url", penstock_server.url)
    assert (result.exit_code, result.output) == (0, "The broker has everything that is wanted.\n")


def test_leftovers_are_cleaned_up_or_told_of(commons: Commons, penstock_server: Running) -> None:
    run("apply", commons.target, "--url", penstock_server.url, "--yes")
    old, full = f"{commons.name}.old", f"{commons.name}.full"
    stale = Binding(commons.name, f"{commons.name}.notifications", "ThreadDeleted")
    prepare(penstock_server, Queue(old), Queue(full), stale, message_to=full)
    result = run("apply", commons.target, "--url", penstock_server.url, "--yes")
    assert f"- queue {old}: nothing declares it, and it is empty" in result.output
    assert f"- binding {commons.name}[ThreadDeleted]" in result.output
    assert f"? queue {full}: nothing declares it, and it has 1 message: left alone" in result.output
    assert (exists(penstock_server, old), exists(penstock_server, full)) == (False, True)
    assert run("check", commons.target, "--url", penstock_server.url).exit_code == 0


def test_conflicts_are_explained_and_nothing_is_changed(commons: Commons, penstock_server: Running) -> None:
    prepare(penstock_server, Queue(f"{commons.name}.notifications", arguments={"x-max-length": 3}))
    result = run("apply", commons.target, "--url", penstock_server.url, "--yes")
    assert result.exit_code == 1
    assert "x-max-length is 3 there and not set here. It is empty: --recreate makes it anew" in result.output
    assert "Nothing was changed: there are conflicts." in result.output
    assert not exists(penstock_server, f"{commons.name}.dead-letters")
    result = run("apply", commons.target, "--url", penstock_server.url, "--yes", "--recreate")
    assert (result.exit_code, "± queue" in result.output) == (0, True)
    assert run("check", commons.target, "--url", penstock_server.url).exit_code == 0


def test_a_file_beside_or_instead_of_an_application(commons: Commons, penstock_server: Running) -> None:
    file = commons.folder / "topology.toml"
    file.write_text(f'[queues."{commons.name}.more"]')
    url = ("--url", penstock_server.url)
    output = run("plan", commons.target, "--file", str(file), *url).output
    assert f"+ queue {commons.name}.more" in output
    assert f"+ queue {commons.name}.notifications" in output
    prepare(penstock_server, Queue(f"{commons.name}.old"))
    alone = run("plan", "--file", str(file), *url).output
    assert alone == f"+ queue {commons.name}.more\n"
    named = run("plan", "--file", str(file), "--namespace", commons.name, *url).output
    assert f"- queue {commons.name}.old" in named


def test_what_cannot_run_there_is_refused_before_it_is_tried(
    commons: Commons, rabbitmq_server: Running
) -> None:
    file = commons.folder / "topology.toml"
    file.write_text(f'[exchanges."{commons.name}"]\ntype = "x-lossy"')
    result = run("apply", "--file", str(file), "--url", rabbitmq_server.url, "--yes")
    assert result.exit_code == 1
    assert f"penstock: x-lossy exchange {commons.name}: only Penstock has this type" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "which topology? Name an application"),
        (("--file", "missing.toml", "--url", "amqp://h"), "missing.toml cannot be read"),
        (("TARGET",), "which broker? Name it with --url"),
        (("TARGET", "--url", "http://h"), "a broker's URL begins with amqp:// or amqps://, not http"),
    ],
)
def test_questions_that_cannot_be_understood(commons: Commons, arguments: tuple[str, ...], told: str) -> None:
    given = [commons.target if each == "TARGET" else each for each in arguments]
    result = run("plan", *given)
    assert result.exit_code == (1 if "missing" in told else 2)
    assert told in result.output


def test_a_program_is_told_the_same(commons: Commons, penstock_server: Running) -> None:
    found = json.loads(run("plan", commons.target, "--url", penstock_server.url, "--json").stdout)
    assert not found["is_in_sync"]
    assert {step["action"] for step in found["steps"]} == {"create"}
    applied = run("apply", commons.target, "--url", penstock_server.url, "--yes", "--json")
    assert json.loads(applied.stdout) == found
    checked = run("check", commons.target, "--url", penstock_server.url, "--json")
    assert (checked.exit_code, json.loads(checked.stdout)["is_in_sync"]) == (0, True)
