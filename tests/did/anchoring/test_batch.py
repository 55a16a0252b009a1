from __future__ import annotations

import pytest

from penstock.did.anchoring.batch import Batch, are_verified, changed_suffixes, recorded_files
from penstock.did.operation_queue.pending import entry_of
from penstock.errors import PreviousUnknown
from tests.did.anchoring.helpers import CORE_INDEX, A, B, C, changed, created
from tests.did.anchors.helpers import link, suffix

OPERATIONS = [
    created(1, B.service),
    changed(2, origin=C.service),
    changed(3, "recover", B.service),
    changed(4, "deactivate", None),
    created(5, {"no": "text"}),
]
BATCH = Batch(CORE_INDEX, [entry_of(each, 0.0) for each in OPERATIONS])


def test_what_is_recorded_of_files_has_the_core_index() -> None:
    assert recorded_files("hl:x") == {"coreIndex": "hl:x", "verified": False}


@pytest.mark.parametrize(
    ("files", "verified"),
    [
        (recorded_files("hl:x", verified=True), True),
        (recorded_files("hl:x"), False),
        ({"coreIndex": "hl:x"}, False),
        ({"coreIndex": "hl:x", "verified": 1}, False),
        ([], False),
        (None, False),
    ],
)
def test_files_are_verified_if_it_was_recorded_so(files: object, *, verified: bool) -> None:
    assert are_verified(files) is verified


def test_those_that_are_not_created_are_changed() -> None:
    expected = [suffix(f"did {number}") for number in (2, 3, 4)]
    assert BATCH.changed == changed_suffixes(each.operation for each in OPERATIONS) == expected


def test_an_origin_is_told_once_if_it_is_one() -> None:
    assert BATCH.origins == [B.service, C.service]


def test_the_origins_of_most_dids_come_first() -> None:
    operations = [created(1, C.service), created(2, B.service), created(3, B.service)]
    assert Batch(CORE_INDEX, [entry_of(each, 0.0) for each in operations]).origins == [B.service, C.service]


def test_the_payload_has_all_operations_in_order_with_their_previous_anchors() -> None:
    anchors = {suffix(f"did {number}"): link(f"anchor {number}") for number in (1, 2, 3, 4)}
    payload = BATCH.payload(anchors, origin=A.service)
    assert (payload.core_index, payload.origin) == (CORE_INDEX, A.service)
    assert [each.suffix for each in payload.previous] == [suffix(f"did {n}") for n in range(1, 6)]
    expected = ["", link("anchor 2"), link("anchor 3"), link("anchor 4"), ""]
    assert [each.anchor for each in payload.previous] == expected


def test_a_did_that_is_changed_and_has_no_anchor_is_named() -> None:
    with pytest.raises(PreviousUnknown) as caught:
        BATCH.payload({suffix("did 2"): link("anchor")}, origin=A.service)
    assert caught.value.suffixes == [suffix("did 3"), suffix("did 4")]
