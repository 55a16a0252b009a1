from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from penstock.outbox import Change, SharedTable
from penstock.pipelines.reconcile import telling
from penstock.pipelines.reconcile.differences import Difference, Differences
from penstock.pipelines.reconcile.telling import Teller, message_id
from tests.pipelines.reconcile.shop import THREADS, reconciler

if TYPE_CHECKING:
    from penstock.outbox import Told
    from tests.pipelines.reconcile.shop import Shop

SHARED = SharedTable(THREADS, exchange="commons")


def found(shop: Shop, told: Told, *differences: Difference) -> Teller:
    """A teller with this to tell."""
    kept = Differences()
    for metadata in (told.metadata, kept.metadata):
        metadata.create_all(shop.engine)
    with shop.engine.begin() as connection:
        kept.add(connection, SHARED.name, differences)
    return Teller(told, kept)


def test_consumers_are_told_the_row_as_it_is_now(shop: Shop) -> None:
    told = reconciler().told
    teller = found(
        shop,
        told,
        Difference("r", (1,), is_copied=False),
        Difference("r", (2,), is_copied=True),
        # Since they were compared, 77 was deleted here and 78 too, which the copy never had.
        Difference("r", (77,), is_copied=True),
        Difference("r", (78,), is_copied=False),
    )
    shop.change(sa.update(THREADS).where(THREADS.c.id == 2).values(title="newest"))
    changes: list[Change] = []
    teller.tell(shop.engine, SHARED, changes.append)
    assert [(change.kind, dict(change.key)) for change in changes] == [
        ("created", {"id": 1}),
        ("updated", {"id": 2}),
        ("deleted", {"id": 77}),
    ]
    assert [message[:3] for message in shop.told()] == [
        ("commons", "threads.created", b'{"id":1,"title":"t1","views":1}'),
        ("commons", "threads.updated", b'{"id":2,"title":"newest","views":2}'),
        ("commons", "threads.deleted", b'{"id":77}'),
    ]


def test_what_was_told_is_not_told_again_by_a_reconciling_without_copies(shop: Shop) -> None:
    told = reconciler().told
    found(shop, told, Difference("r", (1,), is_copied=False)).tell(shop.engine, SHARED)
    with shop.engine.begin() as connection:
        kinds = [change.key["id"] for change in told.tell(connection, SHARED, [(1,), (2,)])]
    assert kinds == [2]


def test_ids_are_the_same_for_the_same_difference_of_the_same_run(shop: Shop) -> None:
    one, other = (Difference(run, (1,), is_copied=False) for run in ("r", "other run"))
    assert message_id(one, "threads") == message_id(Difference("r", (1,), is_copied=False), "threads")
    ids = {message_id(one, "threads"), message_id(other, "threads"), message_id(one, "votes")}
    ids |= {message_id(Difference("r", (1,), is_copied=True), "threads")}
    assert len(ids) == 4
    found(shop, reconciler().told, one).tell(shop.engine, SHARED)
    assert [message[3] for message in shop.told()] == [message_id(one, "threads")]


def test_telling_that_is_broken_off_is_carried_on(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "PAGE", 2)
    differences = [Difference("r", (number,), is_copied=False) for number in range(5)]
    teller = found(shop, reconciler().told, *differences)

    def break_off(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teller.tell(shop.engine, SHARED, break_off)
    assert len(shop.told()) == 2
    teller.tell(shop.engine, SHARED)
    assert [message[3] for message in shop.told()] == [message_id(each, "threads") for each in differences]


def test_a_page_is_told_whole_or_not_at_all(shop: Shop) -> None:
    def describe(change: Change) -> Any:
        raise RuntimeError(change.key)

    described = SharedTable(THREADS, describe=describe)
    teller = found(shop, reconciler().told, Difference("r", (1,), is_copied=True))
    with pytest.raises(RuntimeError):
        teller.tell(shop.engine, described)
    assert shop.told() == []
    teller.tell(shop.engine, SHARED)
    assert len(shop.told()) == 1
