"""A node is rebuilt on a real Spark, from its own storage and from what another domain tells."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.did.activities import PUBLIC, AnchorEvent, announce, create
from penstock.did.activities.collection import Paging
from penstock.did.anchoring import AnchorInfo
from penstock.did.anchoring.tables import links
from penstock.did.domain.parts import create_tables, open_database
from penstock.did.operations.history import first_of_each, operations_between
from penstock.errors import BadActivity
from penstock.pipelines.did.observing.executing import opened
from penstock.pipelines.did.replay import Replay, Replayed
from tests.did.observing.helpers import three_anchors
from tests.did.observing.served import Served, new_places, served
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession
    from sqlalchemy.engine import Connection

    from penstock.did.cas import HashLink
    from penstock.did.domain import Places


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "author") as found:
        yield found


def node(folder: Path) -> Places:
    folder.mkdir()
    places = new_places(folder)
    database = open_database(places)
    create_tables(database)
    database.close()
    return places


def kept(places: Places) -> tuple[Any, ...]:
    """All that a node knows, but for when it came to know it."""

    def read(connection: Connection) -> tuple[Any, ...]:
        (first, *_) = first_of_each(connection, 1) or [0]
        known = links.select().with_only_columns(links.c.hash, links.c.state, links.c.issued_at)
        rows = sorted(map(tuple, connection.execute(known)))
        operations = operations_between(connection, first, None)
        return (rows, sorted(operations, key=lambda each: (each.suffix, each.reference)))

    database = open_database(places)
    try:
        return database.do(read)
    finally:
        database.close()


def replayed(spark: SparkSession, places: Places, service: str = "", **more: Any) -> Replayed:
    replay = Replay(spark, places)
    try:
        anchors = replay.told_by(service) if service else replay.own()
        return replay.run(anchors, **more)
    finally:
        replay.close()


def show_outbox(author: Served, found: list[HashLink]) -> None:
    """Its outbox in pages of two: each anchor created, the last announced besides, and something else."""
    service, to = author.who.service, [PUBLIC]
    activities: list[Any] = [
        create(name=f"{service}/{n}", actor=service, to=to, event=AnchorEvent(url=link), at=NOW)
        for n, link in enumerate(found)
    ]
    again = [AnchorEvent(url=found[-1])]
    activities.append(announce(name=f"{service}/again", actor=service, to=to, events=again, at=NOW))
    activities.append({"type": "Dance"})
    paging = Paging(name=f"{service}/outbox", total=len(activities), size=2, newest_first=True)
    author.pages["/services/orb/outbox"] = msgspec.json.encode(paging.document())
    pages = {f"&page-num={number}": number for number in range(paging.highest + 1)}
    for query, number in ({"": paging.first} | pages).items():
        entries = [activities[place] for place in paging.span(number)]
        page = msgspec.json.encode(paging.page(number, entries))
        author.pages[f"/services/orb/outbox?page=true{query}"] = page


def test_a_node_that_is_rebuilt_is_the_one_that_has_observed(
    spark: SparkSession, author: Served, tmp_path: Path
) -> None:
    # Given a node that has observed two DIDs, one anchor after the other.
    live = node(tmp_path / "live")
    found = three_anchors(author)[1] + three_anchors(author, "bob", NOW + 5)[1]
    observer = opened(live.to_json()).observer
    for link in found:
        assert observer.observe(AnchorInfo(hash_link=str(link))).error is None

    # When one is rebuilt from its storage, and one from the author's outbox, where the oldest are missing.
    rebuilt, joined = node(tmp_path / "rebuilt"), node(tmp_path / "joined")
    shutil.copytree(live.storage, rebuilt.storage)
    asked = len(author.asked)
    told: list[tuple[int, int]] = []
    first = replayed(spark, rebuilt, on_progress=lambda done, total: told.append((done, total)))
    assert {path for path in author.asked[asked:] if path.startswith("/cas")} == set()
    show_outbox(author, found[2:])
    second = replayed(spark, joined, author.who.service)

    # Then they know the same, and a second time there is nothing to do.
    assert (first.observed, first.operations, first.failed) == (6, 6, ())
    assert (second.observed, second.operations, second.failed) == (6, 6, ())
    assert told[-1] == (6, 6)
    assert kept(rebuilt) == kept(joined) == kept(live)
    assert replayed(spark, joined, author.who.service) == Replayed(known=4)


def test_what_cannot_be_observed_is_told_and_done_later(
    spark: SparkSession, author: Served, tmp_path: Path
) -> None:
    places = node(tmp_path / "me")
    _, found = three_anchors(author)
    bad = author.anchor(Life("bob").create())
    show_outbox(author, [*found, bad])
    author.pages[f"/cas/{bad.hash}"] = b"something else"
    first = replayed(spark, places, author.who.service)
    assert [each.hash for each in first.failed] == [bad.hash]
    assert first.observed == 3
    del author.pages[f"/cas/{bad.hash}"]
    assert replayed(spark, places, author.who.service) == Replayed(known=3, observed=1, operations=1)


def test_a_domain_without_an_outbox_tells_nothing(
    spark: SparkSession, author: Served, tmp_path: Path
) -> None:
    places = node(tmp_path / "me")
    with pytest.raises(BadActivity, match="cannot be read to its end"):
        replayed(spark, places, author.who.service)
    assert replayed(spark, places) == Replayed()
