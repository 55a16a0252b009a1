"""Work in pieces, for those who do not care for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wiring.pieces import at_once

if TYPE_CHECKING:
    from penstock.wiring.pieces import Pieces


def test_all_of_it_is_done_at_once_and_what_it_returns_is_told() -> None:
    done: list[str] = []

    def work() -> Pieces[str]:
        for piece in "abc":
            done.append(piece)
            yield
        return "finished"

    assert (at_once(work()), done) == ("finished", ["a", "b", "c"])
