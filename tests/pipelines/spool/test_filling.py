from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreFull, UnknownQueue
from penstock.pipelines.spool import filling as module
from penstock.pipelines.spool.filling import Filling
from penstock.pipelines.spool.spool import Spool
from tests.pipelines.spool.letters import LetterBox, letter, letters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.pipelines.spool.lot import Lot


@pytest.fixture
def box() -> LetterBox:
    return LetterBox()


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(tmp_path)
    made.lock("a test")
    yield made
    made.close()


@pytest.fixture
def filling(spool: Spool, box: LetterBox) -> Iterator[Filling]:
    made = Filling(spool, lambda: box)
    yield made
    made.close()
    assert not made.is_started or box.is_closed


def test_nothing_comes_before_it_starts(filling: Filling, spool: Spool, box: LetterBox) -> None:
    box.put(*letters(1, 3))
    assert (filling.is_started, filling.left(), filling.wait_beyond(0, 0.05)) == (False, 0, False)
    filling.fill()
    assert filling.start() == 3
    # Nor to disk before that is asked for
    assert (filling.is_started, filling.wait_beyond(0, 0.05)) == (True, False)
    filling.fill()
    filling.fill()
    assert filling.wait_beyond(2, 30)
    assert (filling.is_started, spool.taken) == (True, 3)


def test_a_full_disk_is_waited_for(
    filling: Filling, spool: Spool, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FULL_IN", 0.01)
    append = spool.append
    tries = iter([StoreFull("full"), StoreFull("full")])

    def maybe(lot: Lot, now: float) -> int:
        if (error := next(tries, None)) is not None:
            raise error
        return append(lot, now)

    monkeypatch.setattr(spool, "append", maybe)
    filling.start()
    filling.fill()
    box.put(letter(1))
    assert filling.wait_beyond(0, 30)
    filling.close()

    assert len(box.acked) == 1


def test_whoever_waits_hears_why_nothing_comes(
    filling: Filling, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: float) -> Lot:
        raise UnknownQueue("never again")

    filling.demand()
    monkeypatch.setattr(box, "next", fail)
    filling.start()
    filling.fill()
    assert filling.wait_beyond(0, 30, or_failure=True)
    assert not filling.wait_beyond(0, 0.01)
    with pytest.raises(UnknownQueue, match="never again"):
        filling.demand()


def test_two_batches_may_wait_however_large(spool: Spool) -> None:
    filling = Filling(spool, LetterBox, max_rows=module.AHEAD)
    spool.taken = 2 * module.AHEAD - 1
    assert not filling.is_ahead
    spool.taken += 1
    assert filling.is_ahead
