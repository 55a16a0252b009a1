from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.table import decode_table, encode_table
from penstock.wire.amqp.table_walk import check_table, patch_table
from tests.wire.amqp.samples import tables, texts
from tests.wire.amqp.test_table import BROKEN, FIELDS, nested, table_of


@pytest.mark.parametrize("raw", [row[1] for row in FIELDS], ids=[row[0] for row in FIELDS])
def test_what_can_be_decoded_passes(raw: bytes) -> None:
    table = table_of(b"\x01k" + raw)
    assert check_table(b"before" + table + b"after", 6) == 6 + len(table)


@pytest.mark.parametrize("raw", [row[1] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_what_cannot_does_not(raw: bytes) -> None:
    with pytest.raises(Malformed):
        check_table(raw)


def test_depth_is_limited() -> None:
    check_table(nested(4), depth=4)
    with pytest.raises(Malformed, match="deep"):
        check_table(nested(5), depth=4)


@given(raw=st.binary(max_size=60), table=tables, at=st.integers(0, 200), octet=st.integers(0, 255))
def test_the_walk_and_the_decoder_agree_on_any_bytes(
    raw: bytes, table: dict[str, Any], at: int, octet: int
) -> None:
    mutated = bytearray(encode_table(table) + raw)
    mutated[at % len(mutated)] = octet
    data = bytes(mutated)
    try:
        _, end = decode_table(data)
    except Malformed:
        with pytest.raises(Malformed):
            check_table(data)
    else:
        assert check_table(data) == end


@given(table=tables, changes=tables)
def test_a_patch_is_an_update(table: dict[str, Any], changes: dict[str, Any]) -> None:
    assert decode_table(patch_table(encode_table(table), changes))[0] == {**table, **changes}


@given(name=texts.filter(lambda name: name != "new"))
def test_a_patch_keeps_the_types_of_the_rest(name: str) -> None:
    octet = len(name.encode()).to_bytes(1, "big") + name.encode() + b"b\x05"
    assert patch_table(table_of(octet), {"new": None}) == table_of(octet + b"\x03newV")


def test_a_patch_puts_no_name_twice() -> None:
    assert patch_table(table_of(b"\x01ab\x05\x01bV"), {"a": None}) == table_of(b"\x01bV\x01aV")
