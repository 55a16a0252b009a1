"""A node is audited on a real Spark: everything that was made wrong is found, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.did.anchoring import AnchorInfo
from penstock.did.domain.parts import create_tables, open_database
from penstock.did.operations import add_operations
from penstock.pipelines.did.audit import audit
from penstock.pipelines.did.observing.executing import opened
from tests.did.kept_operations import change_operations
from tests.did.observing.helpers import three_anchors
from tests.did.observing.served import new_places, served
from tests.sidetree.lives import Life, anchored

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from penstock.sidetree.anchored import Anchored


def test_all_that_does_not_hold_is_found_and_nothing_else(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "me").mkdir()
    places = new_places(tmp_path / "me")
    database = open_database(places)
    create_tables(database)
    observer = opened(places.to_json()).observer
    # Given a node that has observed six DIDs, and nothing is wrong.
    with served(tmp_path / "author") as author:
        lives, anchors = zip(*(three_anchors(author, name) for name in "abcdef"), strict=True)
        for link in (link for links in anchors for link in links):
            assert observer.observe(AnchorInfo(hash_link=str(link))).error is None
        told: list[tuple[str, int, int]] = []
        good = audit(spark, places, lambda what, done, total: told.append((what, done, total)))
        assert (good.anchors, good.dids, good.operations, list(good.findings)) == (18, 6, 18, [])
        assert {("anchors", 18, 18), ("ranges of DIDs", 1, 1)} <= set(told)

        # When a linkset is gone and another damaged; an operation is deleted, one is altered, one was never
        # anchored, and one is of an anchor that nobody knows.
        (missing, *_), (damaged, *_), (_, unstored, _), (altered, *_), (extra, *_), _ = anchors
        files = {path.name: path for path in Path(places.storage).rglob("uEi*")}
        files[missing.hash].unlink()
        files[damaged.hash].write_bytes(b"{}")
        stranger = Life("stranger")

        def changed(each: Anchored) -> Anchored | None:
            if each.reference == unstored.hash:
                return None
            return replace(each, request=b"{}") if each.reference == altered.hash else each

        database.do(change_operations, changed)
        request = stranger.create()
        database.do(add_operations, [anchored(request, stranger.suffix, 1, reference=extra.hash)])
        update_alone = anchored(stranger.update(), "nobody", 1, reference="uUnknown", previous="uBefore")
        database.do(add_operations, [update_alone])
        found = audit(spark, places)
    database.close()

    # Then each is told.
    assert {(each.kind, each.about) for each in found.findings} == {
        ("missing", missing.hash),
        ("damaged", damaged.hash),
        ("unstored", unstored.hash),
        ("previous", lives[2].suffix),
        ("altered", altered.hash),
        ("create", lives[3].suffix),
        ("unanchored", extra.hash),
        ("unanchored", "uUnknown"),
        ("create", "nobody"),
        ("previous", "nobody"),
    }
