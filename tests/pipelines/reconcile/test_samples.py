from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.outbox import SharedTable
from penstock.pipelines.reconcile.samples import shown
from tests.pipelines.reconcile.shop import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipelines.reconcile.shop import Shop


def test_a_person_sees_the_row_and_its_columns_old_and_new(new_shop: Callable[[str], Shop]) -> None:
    here, there = new_shop("here"), new_shop("there")
    there.differ(updated=1, gone=2, more=77)
    here.change(sa.update(THREADS).where(THREADS.c.id == 1).values(title="x" * 100))
    samples = [
        ("created", (2,)),
        ("updated", (1,)),
        # Told the same since, or gone since.
        ("updated", (3,)),
        ("updated", (99,)),
        ("deleted", (77,)),
    ]
    assert list(shown(SharedTable(THREADS), here.engine, THREADS, there.engine, samples)) == [
        "threads created: id=2",
        f"threads updated: id=1 (title 't1' → '{'x' * 38}…, views -1 → 1)",
        "threads updated: id=3",
        "threads updated: id=99",
        "threads deleted: id=77",
    ]


def test_rows_may_be_known_by_several_columns(new_shop: Callable[[str], Shop]) -> None:
    votes = sa.Table(
        "votes",
        sa.MetaData(),
        sa.Column("thread", sa.Integer, primary_key=True),
        sa.Column("voter", sa.String, primary_key=True),
        sa.Column("weight", sa.Integer),
    )
    here, there = new_shop("here"), new_shop("there")
    for shop, weight in ((here, 2), (there, 1)):
        votes.metadata.create_all(shop.engine)
        shop.change(sa.insert(votes), {"thread": 1, "voter": "a", "weight": weight})
    samples = [("updated", (1, "a"))]
    assert list(shown(SharedTable(votes), here.engine, votes, there.engine, samples)) == [
        "votes updated: thread=1, voter=a (weight 1 → 2)"
    ]
