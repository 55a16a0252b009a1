"""What is wrong with core index files stands in test_reading."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.files.core_index import CoreIndex, NewDid, read_core_index, write_core_index
from penstock.sidetree.files.entries import Reference
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB

SUFFIX_DATA = {"deltaHash": hashed(1), "recoveryCommitment": hashed(2)}
CREATE = canonical({"suffixData": SUFFIX_DATA})
ENTRY = canonical({"didSuffix": hashed(3), "revealValue": hashed(4)})


def test_it_is_read_as_it_was_written() -> None:
    written = write_core_index({"create": [CREATE], "recover": [ENTRY], "deactivate": []}, "uP", "uC")
    assert written == canonical(
        {
            "coreProofFileUri": "uC",
            "operations": {
                "create": [{"suffixData": SUFFIX_DATA}],
                "recover": [{"didSuffix": hashed(3), "revealValue": hashed(4)}],
            },
            "provisionalIndexFileUri": "uP",
        }
    )
    assert read_core_index(compressed(written), ORB) == CoreIndex(
        [NewDid(canonical(SUFFIX_DATA))], [Reference(hashed(3), hashed(4))], [], "uP", "uC"
    )


def test_a_batch_of_updates_has_nothing_in_it_but_the_way_to_them() -> None:
    written = write_core_index({"create": [], "recover": [], "deactivate": []}, "uP", None)
    assert written == b'{"provisionalIndexFileUri":"uP"}'
    assert read_core_index(compressed(written), ORB) == CoreIndex([], [], [], "uP", None)


def test_however_it_is_spelled_the_suffix_data_are_canonical() -> None:
    plain = {"provisionalIndexFileUri": "uP", "operations": {"create": [{"suffixData": SUFFIX_DATA}]}}
    spelled = json.dumps(plain, indent=1).encode()
    found = read_core_index(compressed(spelled), ORB)
    assert found == read_core_index(compressed(canonical(plain)), ORB)
    assert found.creates == [NewDid(canonical(SUFFIX_DATA))]


@pytest.mark.parametrize("origin", ["https://orb.example", "", {"a": 1.5}, None, [None]])
def test_who_anchors_a_did_may_be_told_by_anything(origin: Any) -> None:
    told = SUFFIX_DATA | {"anchorOrigin": origin}
    plain = {"provisionalIndexFileUri": "uP", "operations": {"create": [{"suffixData": told}]}}
    found = read_core_index(compressed(canonical(plain)), ORB)
    assert found.creates == [NewDid(canonical(told), origin)]


def test_what_is_usual_is_asked_all_the_same_where_the_protocol_takes_less() -> None:
    plain = {"provisionalIndexFileUri": "uP", "operations": {"create": [{"suffixData": SUFFIX_DATA}]}}
    with pytest.raises(BadBatchFile, match="at most 45 letters"):
        read_core_index(compressed(canonical(plain)), replace(ORB, max_operation_hash_length=45))


@pytest.mark.parametrize("member", SUFFIX_DATA)
def test_a_hash_that_is_none_is_refused_in_canonical_form_too(member: str) -> None:
    bad = SUFFIX_DATA | {member: "x"}
    plain = {"provisionalIndexFileUri": "uP", "operations": {"create": [{"suffixData": bad}]}}
    with pytest.raises(BadBatchFile, match=member):
        read_core_index(compressed(canonical(plain)), ORB)
