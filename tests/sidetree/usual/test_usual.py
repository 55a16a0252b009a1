from __future__ import annotations

import pytest
from msgspec import UNSET, Struct, UnsetType

from penstock.sidetree.usual import Usual


class Shape(Struct, forbid_unknown_fields=True):
    a: str
    b: int | UnsetType = UNSET


usual = Usual(Shape)


def test_bytes_are_of_a_shape_if_they_are_its_canonical_form() -> None:
    assert usual.read(b'{"a":"x"}') == Shape("x")
    assert usual.read(b'{"a":"x","b":5}') == Shape("x", 5)
    assert usual.write(Shape("x", 5)) == b'{"a":"x","b":5}'
    assert repr(usual) == "<Usual Shape>"


@pytest.mark.parametrize(
    "data",
    [
        b'{"b":5,"a":"x"}',
        b'{"a":"x","c":1}',
        b'{"a":"x","a":"x"}',
        b'{"a": "x"}',
        b'{"a":"\\u0078"}',
        b'{"a":"x","b":5.0}',
        '{"a":"é"}'.encode(),
        b'{"a":5}',
        b"[]",
        b"",
        b"\xff",
    ],
)
def test_what_is_spelled_in_another_way_or_says_more_is_not(data: bytes) -> None:
    assert usual.read(data) is None
