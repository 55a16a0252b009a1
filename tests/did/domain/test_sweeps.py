from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock.clock import VirtualClock
from penstock.did.domain.parts import create_tables
from penstock.did.domain.sweeps import ABANDONED_S, content_sweep, register_sweeps
from penstock.did.expiry import ExpiryService
from penstock.did.parameters import DidParameters
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.did.database import DomainDatabase


def test_what_dead_writers_left_in_the_storage_is_swept_away_after_a_day(tmp_path: Path) -> None:
    clock = VirtualClock(1_000_000.0)
    (tmp_path / "ab").mkdir()
    old, new = tmp_path / "ab" / ".old", tmp_path / "ab" / ".new"
    for path, age in ((old, ABANDONED_S + 1), (new, ABANDONED_S - 1)):
        path.write_bytes(b"half of")
        os.utime(path, (clock.now() - age,) * 2)
    assert run(content_sweep(str(tmp_path), clock).run()) == 1
    assert (old.exists(), new.exists()) == (False, True)


def test_all_that_expires_can_be_swept(database: DomainDatabase, clock: VirtualClock) -> None:
    create_tables(database)
    expiry = ExpiryService(database, clock=clock)
    register_sweeps(expiry, DidParameters())
    swept = run(expiry.run())
    assert {"operations", "acked operations", "unpublished operations", "completed anchors"} <= set(swept)
    assert set(swept.values()) == {0}
