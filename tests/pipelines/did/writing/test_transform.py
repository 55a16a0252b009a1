from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import cloudpickle

from penstock.pipelines.did.writing.files import files_of
from penstock.pipelines.did.writing.outcome import OUTCOMES, outcomes_in
from penstock.pipelines.did.writing.transform import write_files
from tests.did.operation_queue.support import cut_all
from tests.pipelines.did.writing.operations import create
from tests.pipelines.did.writing.workshop import places_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipelines.did.writing.workshop import Workshop


class Frame:
    """Sends what it is to do with rows to an executor, as Spark does, and does it."""

    def __init__(self, *cuts: int) -> None:
        self.cuts = cuts

    def select(self, name: str) -> Frame:
        assert name == "cut"
        return self

    def mapInArrow(self, work: Any, schema: str) -> list[dict[str, Any]]:  # noqa: N802 (Spark's name)
        assert schema == OUTCOMES
        sent = pickle.loads(cloudpickle.dumps(work))  # type: ignore[no-untyped-call] # noqa: S301  of our own
        batches = [pa.record_batch({"cut": pa.array([each], pa.int64())}) for each in self.cuts]
        return [row for batch in sent(iter(batches)) for row in batch.to_pylist()]


def test_cuts_become_outcomes_where_nothing_is_known_but_the_places(shop: Workshop, tmp_path: Path) -> None:
    numbers = [cut_all(shop.database, "me", create(name)).id for name in ("a", "b")]
    frame: Any = Frame(*numbers)
    rows: Any = write_files(places_at(tmp_path))(frame)
    assert outcomes_in(rows) == [shop.executor.write(number) for number in numbers]
    files_of(places_at(tmp_path).to_json()).database.close()
    files_of.cache_clear()


def test_no_plan_of_sparks_shows_a_password(tmp_path: Path) -> None:
    places = places_at(tmp_path, database="postgresql://me:secret@127.0.0.1/x")
    assert "secret" not in repr(write_files(places))
