from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from penstock.sidetree.protocol import ORB, SIDETREE
from penstock.sidetree.usual import are_taken


@pytest.mark.parametrize("protocol", [ORB, SIDETREE])
def test_both_known_protocols_take_what_is_usual(protocol: Any) -> None:
    assert are_taken(protocol)


@pytest.mark.parametrize(
    "less",
    [
        {"patches": ORB.patches - {"replace"}},
        {"key_curves": ORB.key_curves - {"Ed25519"}},
        {"max_operation_hash_length": 45},
        {"endpoints": re.compile("https:.*")},
        {"repeated_purposes": False},
        {"extensions": False},
        {"key_types": {}},
        {"key_types": {"JsonWebKey2020": frozenset({"authentication"})}},
    ],
)
def test_one_that_takes_less_has_all_looked_at(less: dict[str, Any]) -> None:
    assert not are_taken(replace(ORB, **less))
