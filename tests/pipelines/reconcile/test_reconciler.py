from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting, StoreError
from penstock.pipelines.reconcile import reconciler as reconciling
from penstock.pipelines.reconcile.copies import Copy
from penstock.pipelines.reconcile.reconciler import CopyReconciler, new_run
from tests.pipelines.reconcile.shop import THREADS, Shop, reconciler

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from penstock.outbox import SharedTable


def of(shop: Shop, *copies: Shop, run: str | None = None) -> tuple[CopyReconciler, SharedTable]:
    work = CopyReconciler(reconciler(), shop.engine, [Copy(copy.url) for copy in copies], run=run)
    return work, work.tables[0]


def test_copies_in_other_databases_are_compared_and_their_consumers_told(
    spark: SparkSession,
    new_shop: Callable[[str], Shop],
    postgresql_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shop = new_shop(postgresql_url)
    first = new_shop("first").differ(updated=1, gone=2, more=77)
    second = new_shop("second").differ(updated=1, gone=3, more=78)
    second.change(sa.delete(THREADS).where(THREADS.c.id == 2))
    work, shared = of(shop, first, second, run="v42")
    work.prepare()
    names = [copy.name for copy in work.copies]
    with work.compared(lambda: spark, shared) as comparison:
        assert comparison.counts == {
            (names[0], "created"): 1,
            (names[0], "updated"): 1,
            (names[0], "deleted"): 1,
            (names[1], "created"): 2,
            (names[1], "updated"): 1,
            (names[1], "deleted"): 1,
        }
        assert comparison.told() == {"created": 2, "updated": 1, "deleted": 2}
        assert list(comparison.samples(1))[:3] == [
            (names[0], "threads created: id=2"),
            (names[0], "threads updated: id=1 (views -1 → 1)"),
            (names[0], "threads deleted: id=77"),
        ]
        # All of them, more than are looked up at once.
        monkeypatch.setattr(reconciling, "PAGE", 2)
        lines = list(comparison.lines())
        assert len(lines) == sum(comparison.counts.values()) > 2
        assert {*comparison.samples(1)} <= {*lines}
        # What both lack, or have otherwise, is told once.
        assert work.write_down(shared, comparison) == work.left(shared) == 5
    work.tell(shared)
    assert work.left(shared) == 0
    assert sorted(message[1:3] for message in shop.told()) == [
        ("threads.created", b'{"id":2,"title":"t2","views":2}'),
        ("threads.created", b'{"id":3,"title":"t3","views":3}'),
        ("threads.deleted", b'{"id":77}'),
        ("threads.deleted", b'{"id":78}'),
        ("threads.updated", b'{"id":1,"title":"t1","views":1}'),
    ]


def test_a_table_is_equal_to_its_copy_in_another_kind_of_database(
    spark: SparkSession, new_shop: Callable[[str], Shop], postgresql_url: str
) -> None:
    work, shared = of(new_shop("shared"), new_shop(postgresql_url))
    with work.compared(lambda: spark, shared) as comparison:
        assert comparison.counts == {}
        assert list(comparison.samples()) == []


def test_what_a_database_says_to_an_executor_is_one_line(
    spark: SparkSession, new_shop: Callable[[str], Shop], postgresql_url: str
) -> None:
    shop, copy = new_shop("shared"), new_shop(postgresql_url)
    copy.change(sa.text("ALTER TABLE threads ALTER views TYPE text USING 'many'"))
    work, shared = of(shop, copy)
    with (
        pytest.raises(StoreError, match=r"^threads cannot be compared: .*invalid input syntax.*\"many\"$"),
        work.compared(lambda: spark, shared),
    ):
        pass


def test_a_copy_that_is_not_there_is_found_out_before_spark_is_started(
    new_shop: Callable[[str], Shop],
) -> None:
    def no_spark() -> SparkSession:
        raise AssertionError("it was not to be started")

    shop, copy = new_shop("shared"), new_shop("copy")
    copy.change(sa.text("DROP TABLE threads"))
    work, shared = of(shop, copy)
    with pytest.raises(BadSetting, match="there is no table threads in"), work.compared(no_spark, shared):
        pass
    work = CopyReconciler(reconciler(), shop.engine, [Copy("postgresql://me:secret@127.0.0.1:1/commons")])
    with (
        pytest.raises(StoreError, match=r"the copy in 127\.0\.0\.1:1/commons cannot be read") as caught,
        work.compared(no_spark, shared),
    ):
        pass
    assert "secret" not in str(caught.value)


def test_no_two_runs_have_one_name() -> None:
    assert new_run(0.0) != new_run(0.0)
    assert new_run(0.0).startswith("1970-01-01T00:00:00Z-")
