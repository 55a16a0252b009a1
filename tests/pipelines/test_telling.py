from __future__ import annotations

import pytest

from penstock.pipelines.telling import told


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is one, as rich is told."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")


@pytest.mark.parametrize(("shown", "expected"), [(True, "Starting …\n"), (False, ""), (None, "")])
def test_a_file_gets_one_plain_line_if_it_is_wanted(
    capsys: pytest.CaptureFixture[str],
    shown: bool | None,  # noqa: FBT001 (a column of the table)
    expected: str,
) -> None:
    with told("Starting", shown=shown):
        pass
    assert capsys.readouterr() == ("", expected)


@pytest.mark.parametrize(("shown", "is_told"), [(True, True), (False, False), (None, True)])
def test_a_terminal_is_told_unless_it_must_not(
    terminal: None,
    capsys: pytest.CaptureFixture[str],
    shown: bool | None,  # noqa: FBT001 (a column of the table)
    is_told: bool,  # noqa: FBT001
) -> None:
    with told("Starting", shown=shown):
        pass
    out, errors = capsys.readouterr()
    assert (out, "Starting" in errors, "0:00:00" in errors) == ("", is_told, is_told)
