from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import OutboxError
from penstock.outbox.archive import read_archive, write_archive
from penstock.outbox.envelope import Row

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    Row(n, f"id{n}", "Type", "exchange", "key", 1, bytes([n, 255]), b"\x00\xff", 1.5 * n, 0) for n in (3, 7)
]


def test_rows_come_back_whole(tmp_path: Path) -> None:
    file = write_archive(tmp_path / "new" / "folder", "outbox", ROWS)
    assert file.name == "outbox-0000000000000003-0000000000000007.jsonl.gz"
    assert list(read_archive(file)) == ROWS
    assert [other.name for other in file.parent.iterdir()] == [file.name]


def test_the_same_rows_make_the_same_file(tmp_path: Path) -> None:
    assert write_archive(tmp_path, "outbox", ROWS) == write_archive(tmp_path, "outbox", ROWS)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    file = write_archive(tmp_path, "outbox", ROWS)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(OutboxError, match=r"jsonl\.gz is no archive of an outbox, or damaged"):
        list(read_archive(file))


def test_another_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("hello")
    with pytest.raises(OutboxError, match="no archive"):
        list(read_archive(file))
