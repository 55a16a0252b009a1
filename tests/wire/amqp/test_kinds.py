from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.identity import kind_of
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.kinds import Kinds
from penstock.wire.amqp.properties import BasicProperties

COMMON: dict[str, Any] = {"content_type": "application/json", "headers": {"a": 1}, "delivery_mode": 2}


def raw(message_id: str = "m1", **more: Any) -> bytes:
    return BasicProperties.of(**COMMON, message_id=message_id, **more).raw


def test_lists_that_differ_in_their_identity_are_of_one_kind_and_not_kept() -> None:
    kinds = Kinds()
    first = kinds.parse_properties(raw("m1", timestamp=5, type="Bill"))
    second = kinds.parse_properties(raw("a longer id", timestamp=6, type="Bill"))
    assert first.kind == second.kind == kind_of(first.raw)
    assert second.kind is first.kind, "nothing was read again"
    assert (second.message_id, second.type, second.headers) == ("a longer id", "Bill", {"a": 1})
    assert list(kinds.properties) == [first.raw]


def test_another_kind_is_read_and_becomes_the_one_that_is_known() -> None:
    kinds = Kinds()
    bill, order = raw(type="Bill"), raw(type="Bull")
    assert kinds.parse_properties(bill).kind != kinds.parse_properties(order).kind
    assert kinds.parse_properties(raw("m2", type="Bull")).kind == kind_of(order)
    assert kinds.parse_properties(BasicProperties.of(**COMMON).raw).kind == b"", "it has no id"


pieces = st.sampled_from(
    [raw("", type="B"), raw("x" * 9), raw("m1", timestamp=9), raw("m1", timestamp=9, type="B")]
)


@given(
    known=pieces,
    given_=st.builds(
        lambda one, cut, more: one[:cut] + more, pieces, st.integers(0, 60), st.binary(max_size=20)
    ),
)
def test_what_is_known_is_never_mistaken_for_something_else(known: bytes, given_: bytes) -> None:
    kinds = Kinds()
    kinds.parse_properties(known)
    try:
        expected = Interned().parse_properties(given_)
    except Malformed:
        with pytest.raises(Malformed):
            kinds.parse_properties(given_)
    else:
        found = kinds.parse_properties(given_)
        assert found.as_dict() == expected.as_dict()
        assert found.kind in {b"", kind_of(given_)}
