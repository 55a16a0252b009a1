"""The commands against a real HTTP domain, whose queue is a list."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from penstock.cli.did_client import COMMANDS
from penstock.did.client import Holder
from penstock.errors import Unavailable
from tests.did.client.paper import paper_domain
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result

    from tests.did.client.paper import PaperDomain

app = typer.Typer()
for command in COMMANDS:
    app.command()(command)


class Terminal:
    """Somebody who types commands."""

    def __init__(self, domain: PaperDomain, folder: Path) -> None:
        self.domain = domain
        self.url = domain.url
        self.options = ["--wallet", str(folder)]

    def run(self, verb: str, *arguments: str, answer: str | None = None, code: int = 0) -> Result:
        url = [] if verb == "wallet" else ["--url", self.url]
        found = CliRunner().invoke(app, [verb, *arguments, *url, *self.options], input=answer)
        assert found.exit_code == code, (found.output, found.exception)
        return found

    def told(self, verb: str, *arguments: str) -> Any:
        return json.loads(self.run(verb, *arguments, "--json").stdout)


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaperDomain]:
    with paper_domain(tmp_path_factory.mktemp("paper")) as found:
        yield found


@pytest.fixture
def terminal(paper: PaperDomain, tmp_path: Path) -> Terminal:
    paper.reset()
    return Terminal(paper, tmp_path / "wallet")


def test_a_did_lives_from_create_to_deactivate(terminal: Terminal) -> None:
    shown = terminal.run("create", "alice").stdout
    assert "accepted: in the domain's queue" in shown
    terminal.domain.anchor()
    told = terminal.told("settle", "alice", "--wait")
    assert (told["standing"], told["did"].split(":")[2]) == ("anchored", "uAnchor1")
    assert told["result"]["didDocument"]["verificationMethod"][0]["id"].endswith("#main")
    terminal.run("update", told["did"], "--service", "site:LinkedDomains:https://example.com")
    terminal.domain.anchor()
    terminal.run("update", "alice", "--remove-service", "site", "--also-known-as", "https://a.example")
    terminal.domain.anchor()
    document = terminal.told("resolve", "alice")["didDocument"]
    assert document["id"] == told["did"]
    assert "service" not in document
    assert document["alsoKnownAs"] == ["https://a.example"]
    terminal.run("recover", "alice", "--key", "new:authentication")
    terminal.domain.anchor()
    document = json.loads(terminal.run("resolve", "alice").stdout)
    assert [each.partition("#")[2] for each in document["authentication"]] == ["new"]
    assert "Aborted" in terminal.run("deactivate", "alice", answer="n\n", code=1).output
    terminal.run("deactivate", "alice", "--yes")
    terminal.domain.anchor()
    assert terminal.told("settle", "alice")["standing"] == "deactivated"
    assert "for ever" in terminal.run("update", "alice", "--remove-key", "x", code=1).output


def test_a_did_is_resolved_as_it_was(terminal: Terminal) -> None:
    did = terminal.told("create", "alice")["did"]
    terminal.domain.anchor()
    terminal.run("update", "alice", "--also-known-as", "https://a.example")
    terminal.domain.anchor()
    assert "alsoKnownAs" not in terminal.told("resolve", did, "--version-id", "uAnchor1")["didDocument"]
    assert "does not know" in terminal.run("resolve", did, "--version-id", "uNever", code=1).output
    assert "yesterday" in terminal.run("resolve", did, "--version-time", "yesterday", code=1).output


def test_the_wallet_is_listed(terminal: Terminal) -> None:
    assert terminal.told("wallet")["dids"] == []
    terminal.run("create", "alice", "--algorithm", "ES256K")
    [told] = terminal.told("wallet")["dids"]
    assert (told["name"], told["standing"]) == ("alice", "accepted")
    assert "ES256K" in terminal.run("wallet").stdout


def test_a_did_that_is_not_anchored_in_time_goes_on(terminal: Terminal) -> None:
    found = terminal.run("create", "alice", "--wait", "--within", "0", code=1)
    assert "settle --wait alice" in found.output
    assert terminal.told("wallet")["dids"][0]["standing"] == "accepted"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("create", "a/b"), 1, "no name"),
        (("create", "a", "--algorithm", "RS256"), 2, "ES256"),
        (("create", "a", "--key", "main:eating"), 2, "purpose"),
        (("create", "a", "--document", "/nowhere"), 2, "cannot be read"),
        (("update", "stranger", "--remove-key", "x"), 1, "holds no 'stranger'"),
        (("resolve", "did:orb:x"), 1, "does not resolve"),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else None,
)
def test_mistakes_are_told_in_a_line(
    terminal: Terminal, arguments: tuple[str, ...], code: int, words: str
) -> None:
    found = terminal.run(*arguments, code=code)
    assert words in found.output
    assert found.output.startswith("penstock: ")
    assert found.output.count("\n") == 1


def test_a_domain_that_is_not_there_is_told(terminal: Terminal) -> None:
    terminal.url = f"http://127.0.0.1:{free_port()}"
    assert "does not answer" in terminal.run("create", "alice", code=1).output
    assert terminal.told("wallet")["dids"] == []


def test_what_was_taken_is_told_though_the_domain_goes_away_right_after(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise Unavailable("not now")

    monkeypatch.setattr(Holder, "result", away)
    told = terminal.told("create", "alice")
    assert (told["standing"], told["result"], len(terminal.domain.taken)) == ("accepted", None, 1)
