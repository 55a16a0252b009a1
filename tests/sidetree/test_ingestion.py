from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from penstock.errors import (
    BadSignature,
    InvalidOperation,
    OperationEarly,
    OperationExpired,
    SidetreeError,
    UnknownDid,
)
from penstock.sidetree import requests
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.ingestion import ANY_ORIGIN, check_state, ingest
from penstock.sidetree.multihash import hashed, reveal
from penstock.sidetree.operations import read_operation
from penstock.sidetree.protocol import ALL_PATCHES, ORB, SIDETREE, Protocols
from penstock.sidetree.resolution import resolve
from penstock.sidetree.signing import SigningKey
from tests.sidetree.lives import NOW, ORIGIN, Life, add_keys, anchored, changed, key, whole_life
from tests.sidetree.vectors import DIF, lives, needs_vectors, vector

CREATE, UPDATE, RECOVER, DEACTIVATE = REQUESTS = whole_life()
SUFFIX = read_operation(CREATE, ORB).suffix
RENAMED = {"action": "ietf-json-patch", "patches": [{"op": "add", "path": "/x", "value": []}]}


@pytest.mark.parametrize("curve", ["P-256", "secp256k1", "Ed25519"])
def test_a_whole_life_is_taken_in(curve: str) -> None:
    for request in whole_life(curve=curve):
        assert ingest(request, ORB, NOW, origins=ANY_ORIGIN).type == parse(request)["type"]


def create(**changes: Any) -> bytes:
    """A create whose keys are what they should not be, or whose delta is."""
    parts: dict[str, Any] = {"recovery_key": key("r").public, "update_key": key("u").public}
    patches = changes.pop("patches", [add_keys("a")])
    return canonical(requests.create(patches, **(parts | changes)))


def update(**changes: Any) -> bytes:
    parts: dict[str, Any] = {"key": key("now"), "next_update_key": key("next").public}
    return canonical(requests.update(SUFFIX, changes.pop("patches", [add_keys("a")]), **(parts | changes)))


def recover(**changes: Any) -> bytes:
    parts: dict[str, Any] = {
        "key": key("now"),
        "next_update_key": key("next").public,
        "next_recovery_key": key("after").public,
    }
    return canonical(requests.recover(SUFFIX, [add_keys("a")], **(parts | changes)))


def forged(request: bytes) -> bytes:
    """With the signature of another operation of the same kind."""
    header, payload, _ = parse(request)["signedData"].split(".")
    other = parse(update(patches=[add_keys("z")]))["signedData"].split(".")[2]
    return changed(request, signedData=f"{header}.{payload}.{other}")


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (b" " * 2500 + CREATE, "over the limit of 2500"),
        (changed(CREATE, delta=None), "the delta must be an object"),
        (
            changed(CREATE, delta={**parse(CREATE)["delta"], "updateCommitment": hashed("x")}),
            "deltaHash was made of",
        ),
        (create(update_key=key("r").public), "promised to the same key"),
        (create(patches=[{"action": "replace", "document": {}}]), "leave an empty document"),
        (create(patches=[RENAMED]), "leave an empty document"),
        (
            create(patches=[{"action": "ietf-json-patch", "patches": [{"op": "remove", "path": "/x"}]}]),
            "nothing stands",
        ),
        (create(type_=""), "type of a DID is empty"),
        (changed(UPDATE, delta=parse(CREATE)["delta"]), "deltaHash was made of"),
        (update(next_update_key=key("now").public), "a key is used once"),
        (changed(UPDATE, revealValue=hashed("another")), "reveal value is not the hash of the key"),
        (recover(next_recovery_key=key("now").public), "a key is used once"),
        (recover(next_recovery_key=key("next").public), "promised to the same key"),
        (changed(DEACTIVATE, didSuffix=hashed("another")), "another DID's"),
        (changed(DEACTIVATE, revealValue=hashed("another")), "reveal value is not the hash of the key"),
    ],
)
def test_what_does_not_hold_by_itself_is_refused(request_: bytes, reason: str) -> None:
    with pytest.raises(InvalidOperation, match=reason):
        ingest(request_, ORB, NOW)


def test_a_key_without_the_y_that_it_was_promised_with_is_the_same_as_in_orb() -> None:
    jwk = key("now", "Ed25519").jwk()
    del jwk["y"]
    signer = SigningKey.of(jwk)
    for y, reason in (({}, ""), ({"y": ""}, ""), ({"y": "AA"}, "not the hash of the key")):
        request = changed(update(key=signer), revealValue=reveal(signer.public | y))
        with pytest.raises(InvalidOperation, match=reason) if reason else nullcontext():
            assert ingest(request, ORB, NOW).type == "update"


@pytest.mark.parametrize("patches", [[], [{"action": "replace", "document": {}}]])
def test_ion_takes_a_did_that_begins_with_nothing(patches: list[Any]) -> None:
    request = create(patches=patches)
    suffix = ingest(request, SIDETREE, NOW).suffix
    state = resolve(suffix, [anchored(request, suffix, 0)], Protocols([SIDETREE]))
    assert (state.document, state.notes) == ({}, ())
    assert state.update_commitment == parse(request)["delta"]["updateCommitment"]


@pytest.mark.parametrize(
    "request_", [create(update_key=key("r").public), recover(next_recovery_key=key("next").public)]
)
def test_ion_takes_one_key_for_the_next_update_and_the_next_recovery(request_: bytes) -> None:
    assert ingest(request_, SIDETREE, NOW).type == parse(request_)["type"]
    with pytest.raises(InvalidOperation, match="promised to the same key"):
        ingest(request_, ORB, NOW)


@pytest.mark.parametrize("request_", [UPDATE, RECOVER, DEACTIVATE])
def test_a_forged_signature_is_refused(request_: bytes) -> None:
    with pytest.raises(BadSignature, match="not of this key, or not of this data"):
        ingest(forged(request_), ORB, NOW)


@pytest.mark.parametrize(
    ("times", "error"),
    [
        ({"anchor_from": NOW - 300, "anchor_until": NOW + 1500}, None),
        ({"anchor_from": NOW + 1}, OperationEarly),
        ({"anchor_until": NOW}, OperationExpired),
        ({"anchor_from": NOW - ORB.max_operation_time_delta}, OperationExpired),
        ({"anchor_from": NOW - ORB.max_operation_time_delta + 1}, None),
    ],
)
def test_each_type_of_operation_has_its_time(
    times: dict[str, Any], error: type[SidetreeError] | None
) -> None:
    life = Life()
    life.create()
    for request in (life.update(**times), life.recover(**times), life.deactivate(**times)):
        if error is None:
            ingest(request, ORB, NOW)
        else:
            with pytest.raises(error):
                ingest(request, ORB, NOW)


@pytest.mark.parametrize("make", [Life("origins").create, lambda origin: recover(anchor_origin=origin)])
def test_only_origins_that_a_domain_knows_are_taken(make: Any) -> None:
    ingest(make(origin=ORIGIN), ORB, NOW, origins={ORIGIN})
    ingest(make(origin=ORIGIN), ORB, NOW, origins=ANY_ORIGIN)
    ingest(make(origin=None), ORB, NOW)
    with pytest.raises(InvalidOperation, match="is not taken here"):
        ingest(make(origin=ORIGIN), ORB, NOW, origins={"https://other.example"})
    with pytest.raises(InvalidOperation, match="an anchorOrigin is needed"):
        ingest(make(origin=None), ORB, NOW, origins=ANY_ORIGIN)


def test_an_origin_that_nobody_could_be_asked_by_is_refused_unless_the_operator_has_named_it() -> None:
    request = create(anchor_origin="https://a..b")
    with pytest.raises(InvalidOperation, match="no URI of a domain"):
        ingest(request, ORB, NOW, origins=ANY_ORIGIN)
    ingest(request, ORB, NOW, origins={"https://a..b"})
    # Elsewhere an origin is any text.
    ingest(request, ORB, NOW)


def test_a_patch_that_is_switched_off_is_refused() -> None:
    with pytest.raises(InvalidOperation, match="not enabled"):
        ingest(CREATE, replace(ORB, patches=ALL_PATCHES - {"add-public-keys"}), NOW)


def test_what_exists_and_is_not_deactivated_can_be_changed() -> None:
    operation = read_operation(UPDATE, ORB)
    life = Life()
    begin, end = anchored(life.create(), SUFFIX, 1), anchored(life.deactivate(), SUFFIX, 2)
    begun, ended = (resolve(SUFFIX, known, Protocols([ORB])) for known in ([begin], [begin, end]))
    check_state(read_operation(CREATE, ORB), None)
    check_state(operation, begun)
    with pytest.raises(UnknownDid, match="creates the DID"):
        check_state(operation, None)
    with pytest.raises(InvalidOperation, match="deactivated"):
        check_state(operation, ended)


@needs_vectors
def test_the_lives_of_dif_and_sidetree_js_are_taken_in() -> None:
    dif = [
        vector(f"{DIF}/generated.json")[type_]["operationRequest"]
        for type_ in ("create", "update", "recover", "deactivate")
    ]
    for life in (dif, *lives("secp256k1")):
        for request in life:
            ingest(canonical(request), SIDETREE, NOW)


@needs_vectors
def test_lives_that_name_the_wrong_algorithm_end_with_their_create() -> None:
    for create_, *others in lives("ed25519"):
        ingest(canonical(create_), SIDETREE, NOW)
        for request in others:
            with pytest.raises(BadSignature, match="signs with EdDSA"):
                ingest(canonical(request), SIDETREE, NOW)
