"""Tables for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

ROWS: Sequence[Sequence[object]] = (("a", 1200, 0.5), ("bcd", 3, None))


def test_a_program_reads_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "count", "share"), ROWS, title="Names")
    assert capsys.readouterr().out == "Names\nname\tcount\tshare\na\t1200\t0.5\nbcd\t3\t\n"


def test_a_person_reads_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    print_table(("name", "count", "share"), ROWS)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["name  count  share", "a     1,200    0.5", "bcd       3"]
