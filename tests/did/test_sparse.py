from __future__ import annotations

import pytest

from penstock.did.activities import Activity
from penstock.did.anchors import Anchor
from penstock.did.anchors.link import Link
from penstock.did.credentials import AnchorCredential
from penstock.did.sparse import MOST, parse_sparse
from penstock.errors import BadActivity, BadAnchor, BadCredential, MalformedJson

CROWDS = {
    "lists": b'{"x":[' + b"[]," * MOST + b"1]}",
    "objects": b'{"x":[' + b"{}," * MOST + b"1]}",
    "numbers": b'{"x":[' + b"1," * MOST + b"1]}",
    "members": b'{"x":{' + b'"a":1,' * MOST + b'"b":1}}',
}
crowds = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS.keys())


@crowds
def test_a_crowd_is_not_read(crowd: bytes) -> None:
    with pytest.raises(MalformedJson, match="more than"):
        parse_sparse(crowd)


def test_a_large_text_is_none() -> None:
    text = "A" * 4 * MOST
    assert parse_sparse(f'{{"x":["{text}"]}}'.encode()) == {"x": [text]}


def test_the_largest_original_is_none() -> None:
    item = b'{"href":"did:orb:uEiA:EiA","previous":["hl:uEiA"]},'
    assert len(parse_sparse(b"[" + (item * 10_000)[:-1] + b"]")) == 10_000


@crowds
def test_nobody_who_reads_strangers_json_reads_crowds(crowd: bytes) -> None:
    with pytest.raises(BadActivity, match="more than"):
        Activity.parse(crowd)
    with pytest.raises(BadAnchor, match="more than"):
        Anchor.parse(crowd)
    with pytest.raises(BadAnchor, match="more than"):
        Link.parse(crowd, "the original")
    with pytest.raises(BadCredential, match="more than"):
        AnchorCredential.parse(crowd)
