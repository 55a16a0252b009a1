from __future__ import annotations

import pytest
from rich.console import Console

from penstock.cli import progress as module
from penstock.cli.progress import EVERY_S, Lines, progress, said
from penstock.clock import VirtualClock


@pytest.mark.parametrize(
    ("done", "total", "seconds", "words"),
    [
        (0, None, 0.0, "0 messages"),
        (0, 5000, 1.0, "0 of 5,000 messages"),
        (1200, 5000, 2.0, "1,200 of 5,000 messages, 600/s, 6 s left"),
        (1200, None, 2.0, "1,200 messages, 600/s"),
        (5000, 5000, 10.0, "5,000 of 5,000 messages, 500/s"),
        (1, 100, 2.0, "1 of 100 messages, 0.50/s, 3 min 18 s left"),
        (1, 10_000, 2.0, "1 of 10,000 messages, 0.50/s, 5 h 33 min left"),
    ],
)
def test_how_far_it_is_can_be_said_in_words(done: int, total: int | None, seconds: float, words: str) -> None:
    assert said("messages", done, total, seconds) == words


def test_who_watches_sees_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "Console", lambda **_: Console(force_terminal=True, width=80))
    clock = VirtualClock()
    with progress("messages", clock=clock) as tell:
        clock.advance(2.0)
        tell(1200, 5000)
    shown = capsys.readouterr().out
    assert "messages …" in shown
    assert "1,200 of 5,000 messages, 600/s, 6 s left" in shown


def test_a_log_gets_a_line_now_and_then_and_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    clock = VirtualClock()
    with progress("messages", clock=clock) as tell:
        assert isinstance(tell, Lines)
        for done in (1, 2, 3, 4):
            clock.advance(EVERY_S / 2)
            tell(done, 4)
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.partition(",")[0] for line in told.err.splitlines()] == [
        "2 of 4 messages",
        "4 of 4 messages",
    ]


def test_of_short_work_and_to_programs_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    clock = VirtualClock()
    with progress("messages", clock=clock) as tell:
        tell(4, 4)
    with progress("messages", is_quiet=True, clock=clock) as tell:
        clock.advance(2 * EVERY_S)
        tell(4, 4)
    assert capsys.readouterr() == ("", "")
