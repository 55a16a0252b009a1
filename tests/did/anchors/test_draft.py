from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from penstock.did.anchors.anchor import Anchor
from penstock.did.anchors.building import complete
from penstock.did.anchors.data_uri import JSON
from penstock.did.anchors.draft import Draft
from penstock.did.anchors.payload import Previous
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadAnchor, BadHashLink
from tests.did.anchors.helpers import CREATED, LINKSET, PAYLOAD, SERVICE, maker


def test_a_draft_needs_nothing_but_a_credential_to_be_the_linkset() -> None:
    assert complete(Draft.of(PAYLOAD), maker()) == LINKSET


def test_it_tells_the_anchors_name_before_anybody_signs() -> None:
    draft = Draft.of(PAYLOAD)
    assert draft.anchor == Anchor.read(LINKSET).uri
    assert draft.core_index == HashLink.parse(PAYLOAD.core_index).bare
    assert draft.author == SERVICE


def test_it_goes_from_one_process_to_another() -> None:
    draft = Draft.of(PAYLOAD)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(draft), type=Draft) == draft


def test_the_way_its_parts_are_written_is_the_writers() -> None:
    draft = Draft.of(PAYLOAD, kind=JSON)
    assert draft.original.startswith("data:application/json,")
    assert draft.related.startswith("data:application/json,")
    assert draft.anchor == Draft.of(PAYLOAD).anchor


def test_there_is_none_of_an_empty_batch() -> None:
    with pytest.raises(BadAnchor, match="one operation at least"):
        Draft.of(replace(PAYLOAD, previous=[]))


@pytest.mark.parametrize("wrong", [{"core_index": "uEi"}, {"previous": [Previous(CREATED, "hl:x")]}])
def test_there_is_none_of_what_is_no_hashlink(wrong: dict[str, object]) -> None:
    with pytest.raises(BadHashLink):
        Draft.of(replace(PAYLOAD, **wrong))  # type: ignore[arg-type]
