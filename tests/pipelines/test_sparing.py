from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from penstock.pipelines import sparing
from penstock.pipelines.sparing import FREEZES, OBJECTS, spare_collections

if TYPE_CHECKING:
    import pytest


def test_rubbish_is_looked_for_less_often_and_not_among_what_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = gc.get_threshold()
    # Another test of this process may have spared collections before.
    monkeypatch.setattr(sparing, "_freezes", iter(range(FREEZES)))
    gc.unfreeze()
    try:
        spare_collections()
        frozen = gc.get_freeze_count()
        assert frozen
        assert gc.get_threshold()[0] == OBJECTS
        # What the first task has imported stays, too; what comes after the second does not.
        kept = make_many()
        spare_collections()
        assert gc.get_freeze_count() > frozen + len(kept) // 2
        frozen, more = gc.get_freeze_count(), make_many()
        spare_collections()
        # Other threads of this process may have let go of some meanwhile.
        assert gc.get_freeze_count() < frozen + len(more) // 2
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def make_many() -> list[list[int]]:
    return [[] for _ in range(10_000)]
