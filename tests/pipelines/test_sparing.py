from __future__ import annotations

import gc

from penstock.pipelines.sparing import OBJECTS, spare_collections


def test_rubbish_is_looked_for_less_often_and_not_among_what_is_there() -> None:
    before = gc.get_threshold()
    # Another test of this process may have spared collections before.
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    try:
        spare_collections()
        frozen = gc.get_freeze_count()
        assert frozen
        kept: list[list[int]] = [[] for _ in range(10_000)]
        spare_collections()
        # Other threads of this process may have let go of some meanwhile.
        assert gc.get_freeze_count() < frozen + len(kept) // 2
        assert gc.get_threshold()[0] == OBJECTS
    finally:
        gc.set_threshold(*before)
