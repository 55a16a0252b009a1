"""The audit log: bounded in memory and on disk, found again after a restart."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from penstock.panel.accounts.audit import Audit, Entry, outcome_of
from penstock.panel.accounts.audit_file import FILE, AuditFile

if TYPE_CHECKING:
    from pathlib import Path


def entry(number: int, what: str = "DELETE /api/queues/%2F/orders") -> Entry:
    return Entry(at=float(number), who="alice", address="::1", what=what, status=204, outcome="done")


def wrote(folder: Path | None, *entries: Entry, kept: int = 1000) -> Audit:
    async def write() -> Audit:
        audit = Audit(folder, kept)
        for each in entries:
            await audit.add(each)
        audit.close()
        return audit

    return asyncio.run(write())


def test_the_newest_come_first_and_no_more_than_asked_for() -> None:
    audit = wrote(None, *map(entry, range(5)))
    assert [each.at for each in audit.newest(2)] == [4.0, 3.0]
    assert len(audit.newest(100)) == 5


def test_memory_keeps_the_last_of_them() -> None:
    assert [each.at for each in wrote(None, *map(entry, range(5)), kept=3).newest(9)] == [4.0, 3.0, 2.0]


def test_a_restart_finds_what_was_written(tmp_path: Path) -> None:
    wrote(tmp_path, entry(1), entry(2))
    assert [each.at for each in wrote(tmp_path, entry(3)).newest(9)] == [3.0, 2.0, 1.0]
    lines = (tmp_path / FILE).read_text().splitlines()
    assert [json.loads(line)["who"] for line in lines] == ["alice"] * 3
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_that_a_change_begins_is_on_disk_before_it_is_made_and_its_end_after(tmp_path: Path) -> None:
    def lines() -> list[tuple[str, int, str]]:
        told = [json.loads(line) for line in (tmp_path / FILE).read_text().splitlines()]
        return [(each["id"], each["status"], each["outcome"]) for each in told]

    async def story() -> None:
        audit = Audit(tmp_path)
        begun = await audit.begin(entry(1))
        assert lines() == [(begun.id, 0, "began")]
        assert audit.newest(9) == [begun]
        await audit.end(begun, 409)
        assert lines() == [(begun.id, 0, "began"), (begun.id, 409, "conflict")]
        assert [each.outcome for each in audit.newest(9)] == ["conflict"]
        audit.close()

    asyncio.run(story())
    assert [each.outcome for each in wrote(tmp_path).newest(9)] == ["conflict"]


def test_a_change_that_a_kill_cut_off_is_found_with_its_end_unknown_and_that_is_written_down(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        audit = Audit(tmp_path)
        await audit.begin(entry(1))
        await audit.end(await audit.begin(entry(2)), 204)
        audit.close()

    asyncio.run(story())
    outcomes = [(2.0, "done"), (1.0, "began, end unknown")]
    for _ in range(2):
        assert [(each.at, each.outcome) for each in wrote(tmp_path).newest(9)] == outcomes
    assert len((tmp_path / FILE).read_text().splitlines()) == 4


def test_changes_that_come_together_share_a_sync_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    append = AuditFile.append

    def counted(file: AuditFile, entries: list[Entry]) -> None:
        written.append(len(entries))
        append(file, entries)

    async def story() -> None:
        monkeypatch.setattr(AuditFile, "append", counted)
        audit = Audit(tmp_path)
        await asyncio.gather(*(audit.add(entry(number)) for number in range(50)))
        audit.close()

    asyncio.run(story())
    assert sum(written) == 50
    assert sum(bool(count) for count in written) <= 2


def test_a_name_as_long_as_somebody_likes_is_cut() -> None:
    assert len(wrote(None, entry(1, "PUT /" + "x" * 10_000)).newest(1)[0].what) == 500


def test_a_file_that_cannot_be_written_is_told_of_and_the_change_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).mkdir()
    assert len(wrote(tmp_path, entry(1)).newest(9)) == 1
    assert "cannot be read" in caplog.text
    assert "cannot be written" in caplog.text


@pytest.mark.parametrize(
    ("status", "word"), [(204, "done"), (303, "done"), (404, "object_not_found"), (418, "refused")]
)
def test_what_came_of_it_is_a_word(status: int, word: str) -> None:
    assert outcome_of(status) == word
