from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.anchoring.did_anchors import anchored_among, latest_anchors
from tests.did.anchored_dids import put_did_anchors

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_anchors_are_found_by_their_dids_and_the_others_left_out(kept: DomainDatabase) -> None:
    kept.do(put_did_anchors, ["x", "y"], anchor="hl:1", issued_at=1.0)
    assert kept.do(latest_anchors, ["x", "z"]) == {"x": "hl:1"}
    assert kept.do(latest_anchors, []) == {}
    assert kept.do(anchored_among, ["x", "z"]) == {"x"}
    assert kept.do(anchored_among, []) == set()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("hl:1", 1.0), ("hl:2", 2.0), "hl:2"),
        # Observed late.
        (("hl:2", 2.0), ("hl:1", 1.0), "hl:2"),
        # Of the same instant: the same one stays in whichever order.
        (("hl:1", 1.0), ("hl:2", 1.0), "hl:2"),
        (("hl:2", 1.0), ("hl:1", 1.0), "hl:2"),
        # Of the same second.
        (("hl:1", 1.75), ("hl:2", 1.25), "hl:1"),
        (("hl:2", 1.25), ("hl:1", 1.75), "hl:1"),
    ],
)
def test_a_later_anchor_takes_the_place_of_an_earlier_one(
    kept: DomainDatabase, first: tuple[str, float], second: tuple[str, float], expected: str
) -> None:
    for anchor, issued_at in (first, second):
        kept.do(put_did_anchors, ["x"], anchor=anchor, issued_at=issued_at)
    assert kept.do(latest_anchors, ["x"]) == {"x": expected}


def test_who_has_a_dids_key_by_chance_is_not_taken_for_it(
    kept: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("adding", "history"):
        monkeypatch.setattr(f"penstock.did.operations.{module}.did_key", len)
    kept.do(put_did_anchors, ["x"], anchor="hl:1", issued_at=1.0)
    kept.do(put_did_anchors, ["y"], anchor="hl:2", issued_at=2.0)
    assert kept.do(latest_anchors, ["x", "z"]) == {"x": "hl:1"}
    assert kept.do(anchored_among, ["x", "z"]) == {"x"}


def test_a_whole_batch_fits(kept: DomainDatabase) -> None:
    suffixes = [f"did {number}" for number in range(10_000)]
    kept.do(put_did_anchors, suffixes, anchor="hl:1", issued_at=1.0)
    assert len(kept.do(latest_anchors, suffixes)) == 10_000
