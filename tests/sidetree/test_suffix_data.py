from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.errors import InvalidOperation
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ION, ORB
from penstock.sidetree.suffix_data import check_suffix_data

PLAIN = {"deltaHash": hashed(1), "recoveryCommitment": hashed(2)}


@pytest.mark.parametrize(
    "more", [{}, {"type": "abcd"}, {"type": ""}, {"anchorOrigin": "https://x"}, {"anchorOrigin": {"any": 1}}]
)
def test_a_did_can_be_named_after_this(more: dict[str, Any]) -> None:
    check_suffix_data({**PLAIN, **more}, ORB)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "must be an object"),
        ({"deltaHash": hashed(1)}, "no 'recoveryCommitment'"),
        ({**PLAIN, "deltaHash": "x"}, "deltaHash is not a multihash"),
        ({**PLAIN, "recoveryCommitment": 5}, "recoveryCommitment must be"),
        ({**PLAIN, "type": "abcde"}, "at most 4 letters"),
        ({**PLAIN, "type": "a b"}, "at most 4 letters"),
        ({**PLAIN, "type": 5}, "at most 4 letters"),
        ({**PLAIN, "more": 1}, "no member 'more'"),
        ({**PLAIN, "anchorOrigin": json.loads("[" * 101 + "]" * 101)}, "deeper than 100 levels"),
    ],
)
def test_nothing_else_can_be(value: Any, reason: str) -> None:
    with pytest.raises(InvalidOperation, match=reason):
        check_suffix_data(value, ORB)


def test_where_there_are_no_extensions_there_is_no_anchor_origin_and_no_empty_type() -> None:
    check_suffix_data({**PLAIN, "type": "a"}, ION)
    with pytest.raises(InvalidOperation, match="no member 'anchorOrigin'"):
        check_suffix_data({**PLAIN, "anchorOrigin": "https://a.example"}, ION)
    with pytest.raises(InvalidOperation, match="at most 4 letters"):
        check_suffix_data({**PLAIN, "type": ""}, ION)
