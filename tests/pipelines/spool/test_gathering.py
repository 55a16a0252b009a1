from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.pipelines.spool import gathering
from penstock.pipelines.spool.gathering import Gathering

if TYPE_CHECKING:
    from collections.abc import Callable


class Run:
    """As `penstock.client.run.Run`, as far as it is looked at."""

    def __init__(self, count: int, size: int = 1) -> None:
        self.frames = [bytes(size)] * count

    def __len__(self) -> int:
        return len(self.frames)


class Loop:
    """A loop with one thing to call, at the end of the turn or when the timer goes off."""

    def __init__(self) -> None:
        self.soon: Callable[[], None] | None = None
        self.due: Callable[[], None] | None = None

    def call_soon(self, callback: Callable[[], None]) -> Loop:
        assert self.soon is self.due is None
        self.soon = callback
        return self

    def call_later(self, _: float, callback: Callable[[], None]) -> Loop:
        assert self.soon is self.due is None
        self.due = callback
        return self

    def turn(self) -> None:
        callback, self.soon = self.soon, None
        if callback is not None:
            callback()

    def cancel(self) -> None:
        self.soon = self.due = None


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def lots() -> list[int]:
    """How many messages were in each that was handed on."""
    return []


@pytest.fixture
def ours(loop: Loop, lots: list[int], monkeypatch: pytest.MonkeyPatch) -> Gathering[Run]:
    monkeypatch.setattr(gathering, "FLOOD", 10)
    monkeypatch.setattr(gathering, "AT_ONCE", 100)
    monkeypatch.setattr(gathering, "LOT_SIZE", 1000)
    held: Any = loop
    return Gathering(held, lambda runs, _: lots.append(sum(map(len, runs))))


def test_few_messages_are_handed_on_at_once(ours: Gathering[Run], lots: list[int], loop: Loop) -> None:
    ours.add([Run(9)])
    loop.turn()
    ours.add([Run(1), Run(2)])
    loop.turn()

    assert lots == [9, 3]
    assert loop.due is None


def test_what_comes_in_one_read_is_handed_on_together(
    ours: Gathering[Run], lots: list[int], loop: Loop
) -> None:
    ours.add([Run(1)])  # it began in the read before
    ours.add([Run(40)])
    loop.turn()
    assert lots == []

    ours.add([Run(60)])
    assert lots == [101]


def test_in_a_flood_they_are_handed_on_when_they_are_enough(
    ours: Gathering[Run], lots: list[int], loop: Loop
) -> None:
    for _ in range(3):
        ours.add([Run(40)])
        loop.turn()
    assert lots == [120]
    assert loop.due is None

    ours.add([Run(10, size=100)])
    assert lots == [120, 10]


def test_a_flood_that_ends_is_handed_on_when_its_time_is_over(
    ours: Gathering[Run], lots: list[int], loop: Loop
) -> None:
    ours.add([Run(40)])
    loop.turn()
    ours.add([Run(1)])
    assert lots == []

    assert loop.due is not None
    loop.due()
    assert lots == [41]
    ours.add([Run(1)])
    loop.turn()
    assert lots == [41, 1]


def test_the_last_of_a_flood_are_handed_on_when_somebody_knows_that_they_are(
    ours: Gathering[Run], lots: list[int], loop: Loop
) -> None:
    ours.add([Run(40)])
    loop.turn()
    ours.end()
    assert lots == [40]
    assert loop.due is None

    ours.end()  # there is nothing
    assert lots == [40]
    ours.add([Run(50)])
    loop.turn()
    assert lots == [40]
