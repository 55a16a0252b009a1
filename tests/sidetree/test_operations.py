from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import InvalidOperation, MalformedJson, SidetreeError
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.multihash import hashed
from penstock.sidetree.operations import TYPES, Create, Recover, Update, read_operation, request_of
from penstock.sidetree.protocol import ORB, SIDETREE
from tests.sidetree.lives import ORIGIN, changed, whole_life
from tests.sidetree.vectors import DIF, SIDETREE_JS, lives, needs_vectors, vector

CREATE, UPDATE, RECOVER, DEACTIVATE = REQUESTS = whole_life()


@pytest.mark.parametrize("request_", REQUESTS)
def test_an_operation_is_read_and_written_as_it_was(request_: bytes) -> None:
    assert request_of(read_operation(request_, ORB)) == request_


def test_the_suffix_is_the_hash_of_the_suffix_data() -> None:
    operation = read_operation(CREATE, ORB)
    assert operation.suffix == hashed(parse(CREATE)["suffixData"])
    assert {read_operation(request, ORB).suffix for request in REQUESTS} == {operation.suffix}


def test_create_and_recover_name_an_anchor_origin() -> None:
    created, recovered = read_operation(CREATE, ORB), read_operation(RECOVER, ORB)
    assert isinstance(created, Create)
    assert isinstance(recovered, Recover)
    assert created.anchor_origin == recovered.anchor_origin == ORIGIN


def test_an_operation_without_a_delta_is_one_all_the_same() -> None:
    for request in (CREATE, UPDATE, RECOVER):
        operation = read_operation(changed(request, delta=None), ORB)
        assert isinstance(operation, Create | Update | Recover)
        assert operation.delta is None


@pytest.mark.parametrize("type_", [None, "", "fly", 5, ["create"]])
def test_an_unknown_type_is_refused(type_: Any) -> None:
    with pytest.raises(InvalidOperation, match="one of create, recover, update, deactivate"):
        read_operation(canonical({**parse(CREATE), "type": type_}), ORB)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (b"[]", "the type of an operation"),
        (b"5", "the type of an operation"),
        (changed(CREATE, suffixData=None), "no 'suffixData'"),
        (changed(CREATE, didSuffix="x"), "no member 'didSuffix'"),
        (changed(CREATE, suffixData=[]), "suffixData must be an object"),
        (changed(UPDATE, didSuffix=None), "no 'didSuffix'"),
        (changed(UPDATE, didSuffix="x"), "didSuffix is not a multihash"),
        (changed(UPDATE, revealValue="x"), "revealValue is not a multihash"),
        (changed(UPDATE, revealValue=None), "no 'revealValue'"),
        (changed(RECOVER, signedData=None), "no 'signedData'"),
        (changed(RECOVER, signedData="a.b.c"), "header cannot be read"),
        (changed(RECOVER, more=1), "no member 'more'"),
        (changed(DEACTIVATE, delta={}), "no member 'delta'"),
        (changed(UPDATE, type="recover"), "has no 'recoveryCommitment'"),
    ],
)
def test_a_request_of_another_shape_is_refused(request_: bytes, reason: str) -> None:
    with pytest.raises(SidetreeError, match=reason):
        read_operation(request_, ORB)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(MalformedJson):
        read_operation(b"type=create", ORB)


@needs_vectors
def test_the_operations_of_dif_are_read() -> None:
    for type_ in TYPES:
        request = canonical(vector(f"{DIF}/operations/{type_}Operation.json"))
        operation = read_operation(request, SIDETREE)
        assert operation.type == type_
        assert operation.suffix == vector(f"{DIF}/generated.json")["create"]["didUniqueSuffix"]
        assert request_of(operation) == request


@needs_vectors
@pytest.mark.parametrize("curve", ["secp256k1", "ed25519"])
def test_the_operations_of_sidetree_js_are_read(curve: str) -> None:
    for life in lives(curve):
        found = [read_operation(canonical(request), SIDETREE) for request in life]
        assert [operation.type for operation in found] == ["create", "update", "recover", "deactivate"]
        assert len({operation.suffix for operation in found}) == 1


@needs_vectors
def test_a_create_of_ion_has_its_suffix() -> None:
    suffix = "EiBgMkQDrUjGYkUZqQgTiOkZeyQiQgNuYZLiW1S9M-oDCA"
    request = vector(f"{SIDETREE_JS}/did-method-ion/src/__fixtures__/{suffix}-CreateOperation.json")
    assert read_operation(canonical(request), SIDETREE).suffix == suffix
