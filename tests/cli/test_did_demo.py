"""The demo on domains of paper; `penstock did up` has its own tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from penstock.cli.did_demo import demo
from tests.did.client.paper import paper_domain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.did.client.paper import PaperDomain

app = typer.Typer()
app.command()(demo)


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[PaperDomain]:
    with paper_domain(tmp_path) as found:
        found.anchors_at_once = True
        yield found


def test_a_life_is_shown_step_by_step(domain: PaperDomain) -> None:
    # The second domain is the first by another name: it resolves alike.
    other = domain.url.replace("127.0.0.1", "localhost")
    found = CliRunner().invoke(app, ["--url", domain.url, "--url", other])
    assert found.exit_code == 0, found.output
    steps = re.findall(r"^(?:─+ )?(create|update|recover|deactivate):|^  (\w+) ", found.output, re.MULTILINE)
    told = [verb or stage for verb, stage in steps]
    for verb in ("create", "update", "recover", "deactivate"):
        at = told.index(verb)
        assert told[at : at + 5] == [verb, "queued", "observed", "observed", "resolved"]
    assert "services: https://example.com" in found.output
    assert "keys: new; services: none" in found.output
    assert "deactivated, for ever" in found.output


def test_a_step_that_does_not_come_to_its_end_is_told(domain: PaperDomain) -> None:
    domain.anchors_at_once = False
    found = CliRunner().invoke(app, ["--url", domain.url, "--within", "1"])
    assert found.exit_code == 1
    assert "not anchored after 1 seconds" in found.output


def test_a_domain_that_resolves_otherwise_is_told_of(domain: PaperDomain, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with paper_domain(tmp_path / "other") as other:
        found = CliRunner().invoke(app, ["--url", domain.url, "--url", other.url, "--within", "1"])
    assert found.exit_code == 1
    assert f"{other.url} does not resolve" in found.output


def test_nothing_is_started_for_keys_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.cli.did_demo.started_domains", lambda *_: pytest.fail("they were started"))
    found = CliRunner().invoke(app, ["--algorithm", "RS256"])
    assert found.exit_code == 2
    assert "not for 'RS256'" in found.output
