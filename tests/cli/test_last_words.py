from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.cli.last_words import TAIL, last_line, last_warning, size_of

if TYPE_CHECKING:
    from pathlib import Path

INFO = '{"level": "info", "message": "connected"}\n'
WARNING = '{"level": "warning", "message": "attempt 1 failed"}\n'
REASON = "penstock: the database is away\n"


@pytest.mark.parametrize(
    ("log", "line", "warning"),
    [
        ("", "", ""),
        (INFO, "", ""),
        (INFO + WARNING, "", "attempt 1 failed"),
        (WARNING + INFO, "", ""),
        (WARNING + REASON + "\n", "the database is away", ""),
        # A traceback's, and what Java says.
        ("Traceback:\n  here\nValueError: x\n", "ValueError: x", ""),
        ("OSError: amqp://me:s3cret@host/\n", "OSError: amqp://me:***@host/", ""),
        ("17\n", "17", ""),
        ('{"level": "error"}\n', "", ""),
        ("x" * 2 * TAIL + "\n" + WARNING, "", "attempt 1 failed"),
        ("café\n", "café", ""),
    ],
)
def test_last_words(tmp_path: Path, log: str, line: str, warning: str) -> None:
    file = tmp_path / "log"
    file.write_text(log)
    assert (last_line(file), last_warning(file)) == (line, warning)


def test_words_of_a_life_before_are_not_the_last(tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert (size_of(None), size_of(file)) == (0, 0)
    file.write_text(WARNING + REASON)
    since = size_of(file)
    assert last_line(file, since) == ""
    with file.open("a") as opened:
        opened.write(WARNING)
    assert last_warning(file, since) == "attempt 1 failed"


def test_without_a_log_there_are_no_words(tmp_path: Path) -> None:
    for log in (None, tmp_path / "none"):
        assert (last_line(log), last_warning(log)) == ("", "")
