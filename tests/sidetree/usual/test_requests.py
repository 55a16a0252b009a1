from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.multihash import hashed
from penstock.sidetree.operations import read_operation
from penstock.sidetree.protocol import ORB
from penstock.sidetree.usual.requests import UsualCreate, usual_request
from tests.sidetree.lives import Life, add_keys, add_services, public_key, service, whole_life
from tests.sidetree.usual.spoiling import spoilt

USUAL = whole_life()
NOTHING = {"action": "replace", "document": {}}
SERVICES = {"action": "replace", "document": {"services": [service()]}}
KEYS = {"action": "replace", "document": {"publicKeys": [public_key()]}}


@pytest.mark.parametrize("request_", USUAL)
def test_what_most_clients_post_is_usual_in_canonical_form_only(request_: bytes) -> None:
    found = usual_request(request_)
    assert found is not None
    assert found.type == parse(request_)["type"]
    assert usual_request(json.dumps(json.loads(request_)).encode()) is None
    assert usual_request(request_ + b"\n") is None


@pytest.mark.parametrize(
    ("patches", "is_usual"),
    [
        ([add_keys("a"), add_services("b")], True),
        ([NOTHING, add_keys("a")], True),
        ([SERVICES], True),
        ([KEYS], True),
        ([NOTHING], False),
        ([add_keys("a"), {"action": "remove-public-keys", "ids": ["a"]}], False),
        ([{"action": "remove-services", "ids": ["a"]}], False),
        ([add_keys("a", "a")], False),
    ],
)
def test_a_create_that_may_leave_an_empty_document_is_looked_at_more_closely(
    patches: list[Any],
    is_usual: bool,  # noqa: FBT001  a column of the table
) -> None:
    assert (usual_request(Life().create(*patches)) is not None) == is_usual


def test_an_update_may_take_away_and_a_key_stands_once() -> None:
    life = Life()
    life.create()
    assert usual_request(life.update({"action": "remove-public-keys", "ids": ["a"]})) is not None
    assert usual_request(life.update(add_keys("a", "a"))) is None


@pytest.mark.parametrize("data", [b"", b'"}', b'"type":"create"}', b'{"type":"create"}', b'\xff"create"}'])
def test_what_only_ends_like_a_request_is_none(data: bytes) -> None:
    assert usual_request(data) is None


@given(spoilt([json.loads(each) for each in USUAL]))
def test_whatever_is_usual_reads_as_an_operation(value: Any) -> None:
    request = canonical(value)
    found = usual_request(request)
    # What its delta's hash looks like is asked by nobody who makes it again.
    if isinstance(found, UsualCreate) and found.suffix_data.delta_hash == hashed(value["delta"]):
        assert read_operation(request, ORB).type == "create"
