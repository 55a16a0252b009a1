from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB
from penstock.sidetree.suffix_data import check_suffix_data
from penstock.sidetree.usual import Usual
from penstock.sidetree.usual.suffix_data import SuffixData
from penstock.sidetree.usual.texts import Hash
from tests.sidetree.usual.spoiling import spoilt

PLAIN = {"deltaHash": hashed(1), "recoveryCommitment": hashed(2)}
USUAL = [PLAIN, PLAIN | {"anchorOrigin": "https://orb.example"}, PLAIN | {"type": "ab"}]
usual = Usual(SuffixData[Hash])


def test_it_is_usual_in_canonical_form_only() -> None:
    for value in USUAL:
        assert usual.read(canonical(value)) is not None
        assert usual.read(json.dumps(value).encode()) is None
    assert usual.read(canonical(PLAIN | {"anchorOrigin": {}})) is None


@given(spoilt(USUAL))
def test_whatever_is_usual_holds_by_the_rules(value: Any) -> None:
    if usual.read(canonical(value)) is not None:
        check_suffix_data(value, ORB)
