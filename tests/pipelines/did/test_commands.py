"""`penstock did replay` and `penstock did audit`, one after the other on a node that has lost its records."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.did.domain.folder import DataFolder
from penstock.pipelines.did import session
from tests.did.observing.helpers import three_anchors
from tests.did.observing.served import new_places, served
from tests.pipelines.did.test_replay import show_outbox
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from pyspark.sql import SparkSession


def test_a_node_is_rebuilt_and_found_to_hold(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def opened(*_: Any, **__: Any) -> Iterator[SparkSession]:
        yield spark

    def run(*arguments: str, code: int = 0) -> Any:
        command = ["did", *arguments, "--data", str(tmp_path)]
        result = CliRunner().invoke(app, command, env={"COLUMNS": "200"})
        assert result.exit_code == code, result.output
        return result

    monkeypatch.setattr(session, "open_did_session", opened)
    (tmp_path / "orb").mkdir()
    places = new_places(tmp_path / "orb")
    DataFolder(tmp_path).write(places)
    with served(tmp_path / "author") as author:
        _, links = three_anchors(author)
        bad = author.anchor(Life("bob").create())
        author.pages[f"/cas/{bad.hash}"] = b"something else"
        show_outbox(author, [*links, bad])

        # One anchor cannot be had, and the exit code says so; when it can, the rest is done.
        first = run("replay", "--from", author.who.base, code=1)
        assert "3 anchors observed with 3 operations, 0 were known before" in first.stdout
        assert bad.hash in first.stdout
        assert "tells of 4 anchors" in first.stderr
        del author.pages[f"/cas/{bad.hash}"]
        second = msgspec.json.decode(run("replay", "--from", author.who.base, "--json").stdout)
        assert (second["observed"], second["operations"], second["known"]) == (1, 1, 3)

        assert run("audit").stdout == "4 anchors, 2 DIDs and 4 operations looked at: no findings\n"
        damaged = next(Path(places.storage).rglob(links[0].hash))
        damaged.write_bytes(b"{}")
        told = msgspec.json.decode(run("audit", "--json", code=1).stdout)
        assert [(each["kind"], each["about"]) for each in told["findings"]] == [("damaged", links[0].hash)]
        assert "1 damaged" in run("audit", code=1).stdout
