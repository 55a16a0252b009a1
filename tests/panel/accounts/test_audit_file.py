"""The audit log's file: whole lines, whatever a crash left, in files of bounded size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.panel.accounts import audit_file as module
from penstock.panel.accounts.audit_file import FILE, AuditFile, Entry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def entry(number: int) -> Entry:
    return Entry(
        id=f"{number}", at=float(number), who="a", address="::1", what="x", status=204, outcome="done"
    )


def numbers(folder: Path) -> list[float]:
    return [each.at for each in AuditFile(folder).read(100)]


def test_a_line_that_a_crash_has_cut_is_left_out(tmp_path: Path) -> None:
    file = AuditFile(tmp_path)
    file.append([entry(1)])
    with (tmp_path / FILE).open("ab") as opened:
        opened.write(b'{"at":2,"wh')
    assert numbers(tmp_path) == [1.0]
    # And it takes nothing with it that is written afterwards.
    file.append([entry(3), entry(4)])
    assert numbers(tmp_path) == [1.0, 3.0, 4.0]
    assert repr(file) == f"<AuditFile {tmp_path / FILE}>"


def test_the_name_of_a_new_file_is_on_disk_with_its_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(module, "sync", synced.append)
    for number in range(2):
        AuditFile(tmp_path).append([entry(number)])
    assert synced == [tmp_path]


def test_a_file_that_has_grown_begins_anew_and_a_few_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FILE_MOST", 1)
    for number in range(10):
        AuditFile(tmp_path).append([entry(number)])
    assert sorted(file.name for file in tmp_path.iterdir()) == [FILE, *(f"{FILE}.{n}" for n in range(1, 5))]
    ages = [json.loads((tmp_path / f"{FILE}.{n}").read_text())["at"] for n in range(1, 5)]
    assert ages == [8.0, 7.0, 6.0, 5.0]
    # What was begun in one may have ended in the next.
    assert numbers(tmp_path) == [8.0, 9.0]


def test_those_from_before_there_were_ids_are_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        '{"at":7.0,"who":"a","address":"","what":"PUT /","status":201,"outcome":"done"}\n'
    )
    assert [(each.at, each.id) for each in AuditFile(tmp_path).read(9)] == [(7.0, "")]


def test_nothing_is_no_line(tmp_path: Path) -> None:
    AuditFile(tmp_path).append([])
    assert list(tmp_path.iterdir()) == []
    assert numbers(tmp_path) == []
