"""Whether a reader is free, of a broker and of a spool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import ReaderInUse
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source import free, hold
from penstock.pipelines.source.free import demand_free
from penstock.pipelines.source.origin import spool_of
from penstock.pipelines.spool.spool import Spool
from tests.pipelines.source.takings import MemoryTaking

if TYPE_CHECKING:
    from pathlib import Path


def options(**more: str) -> SourceOptions:
    return SourceOptions.read({"url": "amqp://host", "queue": "q", "reader": "r", **more})


def test_a_reader_is_leased_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    taking = MemoryTaking()
    monkeypatch.setattr(free, "open_origin", lambda _: taking)
    demand_free(options())
    assert [seconds for _, seconds in taking.leases] == [hold.LEASE_IN, 0]
    assert taking.is_closed


def test_a_spool_that_somebody_writes_to_is_not_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free, "LOOK_IN", (0.0, 0.0))
    ours = options(spool=str(tmp_path))
    demand_free(ours)
    writing = Spool(spool_of(ours))
    writing.lock("another query")
    with pytest.raises(ReaderInUse, match="in use by another query"):
        demand_free(ours)
    writing.close()
    demand_free(ours)
