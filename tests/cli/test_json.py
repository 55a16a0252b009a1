"""What every command says to a program: JSON that parses, and an exit code. All, in one small town."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli import moving
from penstock.cli.app import app
from penstock.cli.reference import HEAD, commands
from tests.cli.office import Office
from tests.cli.test_tailing import Publisher
from tests.cli.town import Town
from tests.did.client.paper import paper_domain
from tests.servers.managed import managed_penstock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Commons

ROOT = Path(__file__).parents[2]
COMMANDS = dict(commands())

#: Commands that have nothing to tell a program, and why.
SILENT = {
    "penstock broker": "it runs until it is stopped",
    "penstock contracts asyncapi": "what it prints is JSON by nature",
    "penstock demo": "a story for people",
    "penstock did demo": "a story for people",
    "penstock did up": "it runs until it is stopped",
    "penstock event-log run": "it runs until it is stopped; what it has filed, `event-log show` tells",
    "penstock gateway": "it runs until it is stopped; with --token-for it prints the token alone",
    "penstock panel": "it runs until it is stopped",
    "penstock sample": "it runs until it is stopped",
    "penstock up": "it runs until it is stopped",
    "penstock worker": "it runs until it is stopped",
}
#: Commands that need more than a small town has; where their JSON is read.
ELSEWHERE = {
    "penstock did audit": "tests/pipelines/did/test_commands.py",
    "penstock did replay": "tests/pipelines/did/test_commands.py",
    "penstock event-log sql": "tests/pipelines/test_event_log_commands.py",
    "penstock outbox guard": "tests/cli/test_outbox.py",
    "penstock pipelines dry-run": "tests/pipelines/test_event_log_commands.py",
    "penstock pipelines run": "tests/cli/test_pipelines.py",
    "penstock replay": "tests/pipelines/test_event_log_commands.py",
    "penstock reports": "tests/pipelines/test_event_log_commands.py",
    "penstock spark archive": "tests/cli/test_spark.py",
    "penstock spark check": "tests/cli/test_spark.py",
}
#: What one command after another is given, in this order. {} are the town's: see `said`.
CONVERSATION: dict[str, str] = {
    "penstock version": "",
    "penstock doctor": "{url}",
    "penstock bench": "--messages 50",
    "penstock queues declare": "{name}-new",
    "penstock queues list": "",
    "penstock queues show": "{name}",
    "penstock messages publish": "{name} --body hello",
    "penstock messages peek": "{name}",
    "penstock messages move": "{name} {name}-too",
    "penstock messages get": "{name}-too",
    "penstock messages tail": "amq.topic --key {name}.# --limit 1",
    "penstock queues move": "{name} {name}-too",
    "penstock queues purge": "{name} {name}-too --yes",
    "penstock queues delete": "{name}-new --yes",
    "penstock top": "--once",
    "penstock users add": "{name} --stdin",
    "penstock users list": "",
    "penstock users password": "{name} --stdin",
    "penstock users permissions": "{name} --all",
    "penstock users tags": "{name} monitoring",
    "penstock users delete": "{name} --yes",
    "penstock topology plan": "{application}",
    "penstock topology apply": "{application} --yes",
    "penstock topology check": "{application}",
    "penstock contracts save": "{application}",
    "penstock dead-letters list": "",
    "penstock dead-letters groups": "",
    "penstock dead-letters show": "m1",
    "penstock dead-letters retry": "m1",
    "penstock dead-letters redrive": "--all",
    "penstock dead-letters delete": "--state any --all --yes",
    # When there are none that it could not read.
    "penstock contracts check": "{application}",
    "penstock outbox status": "",
    "penstock outbox relay": "--once",
    "penstock outbox replay": "--all",
    "penstock outbox retry": "",
    "penstock outbox prune": "",
    "penstock reconcile": "threads --exchange amq.topic",
    "penstock schedules list": "",
    "penstock schedules run": "one",
    "penstock schedules cancel": "two",
    "penstock event-log show": "",
    "penstock event-log tidy": "",
    "penstock pipelines list": "{pipelines}",
    "penstock pipelines status": "{pipelines}",
    "penstock pipelines reset": "{pipelines} counted --yes",
    "penstock did create": "alice --wait",
    "penstock did update": "alice --also-known-as https://a.example",
    "penstock did recover": "alice",
    "penstock did resolve": "alice",
    "penstock did settle": "alice",
    "penstock did wallet": "",
    "penstock did deactivate": "alice --yes",
    "penstock did neighbours": "--data {folder}",
    "penstock did follow": "https://a.example --data {folder}",
    "penstock did invite": "https://a.example --data {folder}",
    # What was not sent yet cannot be taken back; what can is told as the two before it.
    "penstock did undo": "https://nobody.example --data {folder}",
}
REFUSED = {"penstock did undo"}


@pytest.fixture
def penstock(run_folder: Path) -> Office:
    """The broker of the town, alone."""
    return Office(managed_penstock(run_folder))


@pytest.fixture
def town(commons: Commons, run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with paper_domain(tmp_path_factory.mktemp("paper")) as paper:
        paper.anchors_at_once = True
        built = Town(commons.folder, managed_penstock(run_folder), paper)
        yield built
        sys.modules.pop(built.pipelines, None)


def test_every_command_tells_programs_or_has_a_reason_not_to() -> None:
    speaking = {
        name for name, command in COMMANDS.items() if any("--json" in each.opts for each in command.params)
    }
    assert COMMANDS.keys() - speaking == SILENT.keys()
    assert speaking == CONVERSATION.keys() | ELSEWHERE.keys()
    for name, file in ELSEWHERE.items():
        text = (ROOT / file).read_text("utf-8")
        assert '"--json"' in text, f"{file} does not read what {name} tells programs"
        assert f'"{name.split()[-1]}"' in text, f"{file} does not run {name}"


def test_what_commands_tell_programs_is_json_and_nothing_else(town: Town, commons: Commons) -> None:
    given = {
        "url": town.url,
        "name": town.name,
        "folder": town.folder,
        "application": commons.target,
        "pipelines": town.pipelines,
    }
    wrong = {}
    with Publisher(town.url, f"{town.name}.new", b"hello"):
        for name, arguments in CONVERSATION.items():
            words = [*name.split()[1:], *arguments.format(**given).split(), "--json"]
            result = CliRunner().invoke(app, words, env=town.environment, input="secret\n")
            if name in REFUSED:
                is_fine = (result.exit_code, result.stdout) == (1, "")
            else:
                is_fine = result.exit_code == 0 and is_json(result.stdout)
            if not is_fine:
                wrong[name] = f"{result.exit_code}: {result.output} {result.exception}"
    assert wrong == {}


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["version"]),
        (1, ["queues", "show", "nowhere"]),
        (1, ["queues", "purge", "{name}"]),
        (2, ["queues", "show"]),
        (2, ["queues", "nothing"]),
        (2, ["queues", "move", "{name}", "{name}"]),
    ],
    ids=["done", "refused", "not agreed to", "a word too few", "no such command", "no sense"],
)
def test_an_exit_code_says_how_it_ended(penstock: Office, code: int, arguments: list[str]) -> None:
    penstock.fill()
    penstock.run(*(each.format(name=penstock.queue) for each in arguments), code=code, given="n\n")


def test_what_is_interrupted_ends_with_130(penstock: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(*_: Any) -> int:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)
        return 0

    monkeypatch.setattr(moving, "move_messages", interrupted)
    penstock.fill()
    penstock.fill(queue=f"{penstock.queue}-too")
    # Tests that a shell runs in the background have been told to take no notice of Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        penstock.run("messages", "move", penstock.queue, f"{penstock.queue}-too", code=130)
    finally:
        signal.signal(signal.SIGINT, before)


def test_all_exit_codes_are_documented() -> None:
    codes = HEAD.partition("**Exit codes**")[2].partition("- **")[0]
    assert [code for code in (0, 1, 2, 130) if f"{code}, " not in codes] == []
