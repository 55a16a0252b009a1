from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Queue, connect
from tests.servers.running import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from tests.cli.conftest import Commons
    from tests.servers.running import Running


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments])


def test_a_broker_says_what_it_is(running: Running) -> None:
    result = run(running.url)
    assert result.exit_code == 0
    first, second, *rest = result.output.splitlines()
    assert first.lower().startswith(running.name)
    assert first.split()[1][0].isdigit()
    assert second.startswith("It can: ")
    assert "publisher_confirms" in second
    assert rest == ["Nothing stands in the way."]


def test_an_application_on_penstock(commons: Commons, penstock_server: Running) -> None:
    result = run(penstock_server.url, commons.target)
    assert result.exit_code == 0
    assert result.output.endswith("Nothing stands in the way.\n")


def test_an_application_on_rabbitmq_is_told_of_the_ladder(commons: Commons, rabbitmq_server: Running) -> None:
    result = run(rabbitmq_server.url, commons.target)
    assert result.exit_code == 0
    assert "Good to know:\n  · delays and retries with a backoff: RabbitMQ has no delays" in result.output
    assert "Not everything was seen" in result.output


FILE = """
[queues."{name}.a"]
durable = false
[queues."{name}.b"]
durable = false
[queues."{name}.c"]
arguments = {{ x-delivery-limit = 5 }}
"""


def test_the_worst_comes_first_and_what_is_said_of_several_is_said_once(
    commons: Commons, rabbitmq_server: Running
) -> None:
    file = commons.folder / "topology.toml"
    file.write_text(FILE.format(name=commons.name))
    result = run(rabbitmq_server.url, commons.target, "--file", str(file))
    assert result.exit_code == 1
    worst, risks = result.output.index("Cannot run:"), result.output.index("Runs, at a risk:")
    assert worst < risks < result.output.index("Good to know:")
    assert result.output.endswith("Something stands in the way.\n")
    assert f"! queue {commons.name}.c: only quorum queues have x-delivery-limit" in result.output
    assert f"? queue {commons.name}.a, queue {commons.name}.b: it is gone with the broker's" in result.output


def test_a_risk_counts_if_one_is_strict(commons: Commons, rabbitmq_server: Running) -> None:
    file = commons.folder / "topology.toml"
    file.write_text(f'[queues."{commons.name}.a"]\ndurable = false')
    assert run(rabbitmq_server.url, "--file", str(file)).exit_code == 0
    assert run(rabbitmq_server.url, "--file", str(file), "--strict").exit_code == 1


def test_what_is_there_and_different_stands_in_the_way(commons: Commons, penstock_server: Running) -> None:
    async def prepare() -> None:
        async with await connect(penstock_server.url) as client:
            await client.declare(Queue(f"{commons.name}.notifications"))

    asyncio.run(prepare())
    result = run(penstock_server.url, commons.target)
    assert result.exit_code == 1
    assert (
        "it is there, but not like that: x-dead-letter-exchange is not set there and '' here" in result.output
    )


def test_a_broker_that_is_not_there() -> None:
    result = run(f"amqp://guest:secret@127.0.0.1:{free_port()}")
    assert result.exit_code == 1
    assert "cannot be reached" in result.output
    assert "`penstock broker` starts one" in result.output
    assert "secret" not in result.output


def test_a_url_that_is_none() -> None:
    assert run("localhost").exit_code == 2
    assert run("amqp://h", "nonsense").exit_code == 2


def test_without_a_broker_it_looks_at_this_machine(tmp_path: Path) -> None:
    result = run("--data", str(tmp_path), "--json")
    found = {each["subject"]: each for each in json.loads(result.stdout)["findings"]}
    assert found[f"disk of {tmp_path}"]["severity"] in {"note", "risk"}
    assert "port 5672 (amqp)" in found
    assert "Good to know" in run("--data", str(tmp_path)).output


def test_a_program_is_told_what_the_broker_is(penstock_server: Running) -> None:
    found = json.loads(run(penstock_server.url, "--json").stdout)
    assert (found["broker"], found["findings"]) == ("Penstock", [])
    assert "publisher_confirms" in found["capabilities"]
