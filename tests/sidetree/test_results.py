from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import pytest

from penstock.sidetree.anchored import Anchored
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.did import Did, long_form, read_did
from penstock.sidetree.methods import METHODS
from penstock.sidetree.multihash import hashed
from penstock.sidetree.resolution import resolve
from penstock.sidetree.results import canonical_id, resolution_result
from tests.sidetree.lives import ORIGIN, Life, anchored
from tests.sidetree.vectors import DIF, needs_vectors, vector

ORB, DIFS = METHODS["did:orb"], METHODS["did:sidetree"]
LIFE = Life()
CREATE = LIFE.create()
SUFFIX = LIFE.suffix
BEGIN = anchored(
    CREATE, SUFFIX, 1_652_202_000, reference="uA", equivalents=("hl:uA:uB", "https:d.example:uA")
)
UPDATE = anchored(LIFE.update(), SUFFIX, 1_652_202_060, reference="uC")


def result(text: str, *operations: Anchored, **ways: Any) -> Any:
    did, method = read_did(text, ORB), replace(ORB, **ways)
    return resolution_result(did, resolve(SUFFIX, operations, ORB.protocols), method)


def test_what_orb_tells_about_a_published_did() -> None:
    found = result(f"did:orb:https:d.example:uA:{SUFFIX}", BEGIN, UPDATE)
    assert found["@context"] == "https://w3id.org/did-resolution/v1"
    assert found["didDocument"]["id"] == f"did:orb:https:d.example:uA:{SUFFIX}"
    state = resolve(SUFFIX, [BEGIN, UPDATE], ORB.protocols)
    assert found["didDocumentMetadata"] == {
        "canonicalId": f"did:orb:uA:{SUFFIX}",
        "equivalentId": [f"did:orb:{anchor}:{SUFFIX}" for anchor in ("uA", "hl:uA:uB", "https:d.example:uA")],
        "versionId": "uC",
        "created": "2022-05-10T17:00:00Z",
        "updated": "2022-05-10T17:01:00Z",
        "method": {
            "published": True,
            "recoveryCommitment": state.recovery_commitment,
            "updateCommitment": state.update_commitment,
            "anchorOrigin": ORIGIN,
        },
    }


def test_what_orb_tells_about_a_did_that_is_not_published() -> None:
    text = long_form(f"did:orb:uAAA:{SUFFIX}", parse(CREATE))
    operation = read_did(text, ORB).initial_operation(5)
    assert operation is not None
    metadata = result(text, operation)["didDocumentMetadata"]
    assert metadata["equivalentId"] == [f"did:orb:uAAA:{SUFFIX}"]
    assert metadata["method"]["published"] is False
    assert metadata.keys() == {"equivalentId", "method"}


def test_the_domain_that_knows_a_did_before_others_do_is_named() -> None:
    text = long_form(f"did:orb:uAAA:{SUFFIX}", parse(CREATE))
    did = read_did(text, ORB)
    operation = did.initial_operation(5)
    assert operation is not None
    here = replace(ORB, domain="orb.domain1.example")
    found = resolution_result(did, resolve(SUFFIX, [operation], here.protocols), here)
    short, hinted = f"did:orb:uAAA:{SUFFIX}", f"did:orb:https:orb.domain1.example:uAAA:{SUFFIX}"
    assert found["didDocumentMetadata"]["equivalentId"] == [short, hinted]
    by_short_form = resolution_result(
        read_did(short, ORB), resolve(SUFFIX, [operation], here.protocols), here
    )
    assert by_short_form["didDocumentMetadata"]["equivalentId"] == [hinted]
    published = resolution_result(did, resolve(SUFFIX, [BEGIN], here.protocols), here)
    assert published["didDocumentMetadata"]["equivalentId"][0] == f"did:orb:uA:{SUFFIX}"


def test_a_deactivated_did_says_so_and_nothing_else() -> None:
    end = anchored(LIFE.deactivate(), SUFFIX, 1_652_202_120, reference="uD")
    found = result(f"did:orb:uA:{SUFFIX}", BEGIN, UPDATE, end)
    assert found["didDocument"] == {
        "@context": ["https://www.w3.org/ns/did/v1"],
        "id": f"did:orb:uA:{SUFFIX}",
    }
    assert found["didDocumentMetadata"]["deactivated"] is True
    assert found["didDocumentMetadata"]["method"] == {"published": True, "anchorOrigin": ORIGIN}


def test_an_anchor_origin_is_told_whatever_it_is() -> None:
    life = Life("odd")
    odds: tuple[Any, ...] = ("", 0, False, [], {"any": None})
    for odd in odds:
        create = parse(life.create(origin="x"))
        create["suffixData"]["anchorOrigin"] = odd
        suffix = hashed(create["suffixData"])
        begin = anchored(canonical(create), suffix, 5, anchor_origin=odd)
        method = replace(ORB, lists_published=True)
        state = resolve(suffix, [begin], ORB.protocols)
        told = resolution_result(read_did(f"did:orb:uA:{suffix}", ORB), state, method)
        found = told["didDocumentMetadata"]["method"]
        assert (found["anchorOrigin"], found["publishedOperations"][0]["anchorOrigin"]) == (odd, odd)


def test_a_recover_that_is_not_anchored_leaves_a_published_did_its_name() -> None:
    life = Life("waiting")
    begin = anchored(life.create(), life.suffix, 5, reference="uA", equivalents=("hl:uA:uB",))
    waiting = anchored(life.recover(), life.suffix, 6, reference="")
    did = read_did(f"did:orb:uA:{life.suffix}", ORB)
    told = [
        resolution_result(did, resolve(life.suffix, operations, ORB.protocols), ORB)["didDocumentMetadata"]
        for operations in ([begin], [begin, waiting])
    ]
    for member in ("canonicalId", "equivalentId", "created"):
        assert told[0][member] == told[1][member]
    assert [each["method"]["published"] for each in told] == [True, True]
    assert "versionId" not in told[1]


def listed(*operations: Anchored, **ways: bool) -> Any:
    return result(f"did:orb:uA:{SUFFIX}", *operations, **ways)["didDocumentMetadata"]["method"]


def test_operations_are_told_where_the_method_lists_them() -> None:
    waiting = anchored(LIFE.update(), SUFFIX, 1_652_202_130, reference="")
    again = anchored(CREATE, SUFFIX, 1_652_202_140, reference="uA")
    told = [BEGIN, UPDATE, waiting, again]
    assert not {"publishedOperations", "unpublishedOperations"} & listed(*told).keys()
    assert "unpublishedOperations" not in listed(*told, lists_published=True)
    assert "publishedOperations" not in listed(*told, lists_unpublished=True)
    method = listed(*told, lists_published=True, lists_unpublished=True)
    assert [entry["canonicalReference"] for entry in method["publishedOperations"]] == ["uA", "uC"]
    first = method["publishedOperations"][0]
    assert b64decode(first["operation"]) == CREATE
    assert first.keys() == {
        "type",
        "operation",
        "transactionTime",
        "transactionNumber",
        "protocolVersion",
        "canonicalReference",
        "equivalentReferences",
    }
    (other,) = method["unpublishedOperations"]
    assert other.keys() == {"type", "operation", "transactionTime", "protocolVersion"}


def test_who_trusts_nobody_resolves_a_did_from_what_is_listed() -> None:
    # As Orb's clients do: the document, and what is promised, must be the same.
    did = f"did:orb:uA:{SUFFIX}"
    first = result(did, UPDATE, BEGIN, lists_published=True)
    again = result(did, *map(read_again, first["didDocumentMetadata"]["method"]["publishedOperations"]))
    assert again["didDocument"] == first["didDocument"]
    del first["didDocumentMetadata"]["method"]["publishedOperations"]
    assert again == first


def read_again(listed: dict[str, Any]) -> Anchored:
    return Anchored(
        type=listed["type"],
        suffix=SUFFIX,
        request=b64decode(listed["operation"]),
        time=listed["transactionTime"],
        number=listed["transactionNumber"],
        protocol_version=listed["protocolVersion"],
        reference=listed["canonicalReference"],
        equivalents=tuple(listed.get("equivalentReferences", ())),
        anchor_origin=listed.get("anchorOrigin"),
    )


def test_the_canonical_form_is_the_methods() -> None:
    state = resolve(SUFFIX, [BEGIN], ORB.protocols)
    assert canonical_id(state, ORB) == f"did:orb:uA:{SUFFIX}"
    assert canonical_id(state, DIFS) == f"did:sidetree:{SUFFIX}"


@pytest.mark.parametrize("network", ["", "testnet3"])
def test_a_network_is_part_of_the_name(network: str) -> None:
    ion = METHODS["did:ion"]
    life = Life()
    create = life.create(origin=None)
    short = ":".join(filter(None, ("did:ion", network, life.suffix)))
    long = read_did(long_form(short, parse(create)), ion)
    operation = long.initial_operation(5)
    assert operation is not None
    waiting = resolution_result(long, resolve(life.suffix, [operation], ion.protocols), ion)
    assert waiting["didDocumentMetadata"].keys() == {"equivalentId", "method"}
    assert waiting["didDocumentMetadata"]["equivalentId"] == [short]
    begin = anchored(create, life.suffix, 5)
    anchored_state = resolve(life.suffix, [begin], ion.protocols)
    told = resolution_result(long, anchored_state, ion)["didDocumentMetadata"]
    assert (told["canonicalId"], told["equivalentId"]) == (short, [short])
    told = resolution_result(read_did(short, ion), anchored_state, ion)["didDocumentMetadata"]
    assert told["canonicalId"] == short
    assert "equivalentId" not in told


STEPS = {
    "create": "afterCreate",
    "update": "afterUpdate",
    "recover": "afterRecover",
    "deactivate": "afterDeactivate",
}


def dif(steps: int) -> tuple[Did, list[Anchored]]:
    generated = vector(f"{DIF}/generated.json")
    did = read_did(generated["create"]["shortFormDid"], DIFS)
    return did, [
        anchored(canonical(generated[type_]["operationRequest"]), did.suffix, place)
        for place, type_ in enumerate(list(STEPS)[:steps])
    ]


@needs_vectors
@pytest.mark.parametrize(("steps", "expected"), list(enumerate(STEPS.values(), 1)))
def test_the_life_of_dif_resolves_to_the_letter(steps: int, expected: str) -> None:
    did, operations = dif(steps)
    found = resolution_result(did, resolve(did.suffix, operations[::-1], DIFS.protocols), DIFS)
    assert found == vector(f"{DIF}/resolution/{expected}.json")


@needs_vectors
def test_the_long_form_of_dif_resolves_to_the_letter() -> None:
    did = read_did(vector(f"{DIF}/resolution/did.json")["longFormDid"], DIFS)
    operation = did.initial_operation(0)
    assert operation is not None
    found = resolution_result(did, resolve(did.suffix, [operation], DIFS.protocols), DIFS)
    assert found == vector(f"{DIF}/resolution/longFormResponseDidDocument.json")
