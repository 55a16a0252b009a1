"""Processes that live, and processes that die."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from penstock.did.anchoring import AnchorInfo
from penstock.did.domain.parts import create_tables, open_database
from penstock.pipelines.did.apart import Apart, Died
from penstock.pipelines.did.observing.executing import observe
from tests.did.observing.helpers import three_anchors
from tests.did.observing.served import new_places, served

if TYPE_CHECKING:
    from pathlib import Path


def test_an_anchor_is_observed_elsewhere_as_it_would_be_here(tmp_path: Path) -> None:
    (tmp_path / "me").mkdir()
    places = new_places(tmp_path / "me")
    database = open_database(places)
    create_tables(database)
    database.close()
    with served(tmp_path / "author") as author:
        _, (link, *_) = three_anchors(author)
        outcome = Apart(observe, places.to_json())(AnchorInfo(hash_link=str(link)))
    assert outcome.error is None
    assert [(seen.operations, seen.is_known) for seen in outcome.seen] == [(1, False)]


@pytest.mark.parametrize(
    ("what", "told"),
    [("import os; os.kill(os.getpid(), 9)", "by SIGKILL"), ("raise SystemExit(3)", "with exit code 3")],
)
def test_who_dies_is_told_with_how(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str, told: str
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!{sys.executable}\n{what}\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(Died, match=told):
        Apart(observe, "{}")(AnchorInfo(hash_link="hl:x"))
