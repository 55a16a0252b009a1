from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from penstock.errors import SidetreeError
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.delta import check_delta
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB, SIDETREE
from penstock.sidetree.usual.deltas import are_usual_deltas, is_usual_delta
from tests.sidetree.lives import add_keys, add_services, public_key, service
from tests.sidetree.usual.spoiling import spoilt


def delta(*patches: Any) -> dict[str, Any]:
    return {"patches": list(patches), "updateCommitment": hashed("next")}


WITHOUT_PURPOSES = {name: value for name, value in public_key().items() if name != "purposes"}
USUAL = [
    delta(add_keys("a")),
    delta(add_keys("a", "b"), add_services("c", "d")),
    delta({"action": "remove-public-keys", "ids": ["a", "a"]}, {"action": "remove-services", "ids": ["b"]}),
    delta({"action": "replace", "document": {"publicKeys": [public_key()], "services": [service()]}}),
    delta({"action": "replace", "document": {}}),
    delta({"action": "add-public-keys", "publicKeys": [WITHOUT_PURPOSES]}),
]
#: They hold as well, and are looked at by the plain road.
UNUSUAL = [
    delta({"action": "ietf-json-patch", "patches": [{"op": "add", "path": "/x", "value": 1}]}),
    delta({"action": "add-also-known-as", "uris": ["https://a.example"]}),
    delta({"action": "add-services", "services": [service(serviceEndpoint={"a": 1})]}),
    delta({"action": "add-services", "services": [service(more=1)]}),
    delta({"action": "add-services", "services": [service(serviceEndpoint="http://")]}),
    delta({"action": "add-services", "services": [service(serviceEndpoint="/hub")]}),
    delta({"action": "add-services", "services": [service(type="é")]}),
]


@pytest.mark.parametrize("value", USUAL)
def test_what_most_deltas_are_is_usual_in_canonical_form_only(value: Any) -> None:
    assert is_usual_delta(canonical(value))
    assert not is_usual_delta(json.dumps(value).encode())
    assert check_delta(value, ORB) == canonical(value)


@pytest.mark.parametrize("value", UNUSUAL)
def test_what_is_rare_is_not_usual_and_holds_all_the_same(value: Any) -> None:
    assert not is_usual_delta(canonical(value))
    assert check_delta(value, ORB) == canonical(value)


def test_a_key_with_more_purposes_than_there_are_is_not_usual() -> None:
    many = delta({"action": "add-public-keys", "publicKeys": [public_key(purposes=["authentication"] * 6)]})
    assert not is_usual_delta(canonical(many))
    with pytest.raises(SidetreeError, match="more purposes"):
        check_delta(many, ORB)


@pytest.mark.parametrize("patch", [add_keys("a", "a"), add_services("b", "b")])
def test_two_of_one_id_are_not_usual(patch: Any) -> None:
    assert not is_usual_delta(canonical(delta(patch)))
    member = next(name for name in patch if name != "action")
    document = {"action": "replace", "document": {member: patch[member]}}
    assert not is_usual_delta(canonical(delta(document)))


@pytest.mark.parametrize("data", [b"", b"{", b"null", b"\xff", b"[" * 5000])
def test_what_is_no_json_is_not_usual(data: bytes) -> None:
    assert not is_usual_delta(data)


def test_a_member_that_stands_twice_is_not_usual() -> None:
    data = canonical(USUAL[0])
    assert not is_usual_delta(data.replace(b'"type":', b'"type":"x","type":'))


@given(spoilt([*USUAL, *UNUSUAL]))
def test_whatever_is_usual_holds_by_the_rules(value: Any) -> None:
    data = canonical(value)
    if is_usual_delta(data):
        for protocol in (ORB, SIDETREE):
            try:
                assert check_delta(parse(data), protocol) == data
            except SidetreeError as exc:
                assert "over the limit" in str(exc)  # noqa: PT017 (the size is another's question)


def test_a_file_is_usual_if_all_of_its_deltas_are() -> None:
    assert are_usual_deltas(canonical({"deltas": USUAL}))
    assert are_usual_deltas(b'{"deltas":[]}')
    assert not are_usual_deltas(json.dumps({"deltas": USUAL}).encode())
    for value in (*UNUSUAL, delta(add_keys("a", "a")), {"patches": []}):
        assert not are_usual_deltas(canonical({"deltas": [*USUAL, value]}))
    for other in ({"deltas": USUAL, "more": 1}, {"deltas": 1}, USUAL):
        assert not are_usual_deltas(canonical(other))
