from __future__ import annotations

import pytest

from penstock.sidetree.canonical import canonical
from penstock.sidetree.keys import KINDS
from penstock.sidetree.usual import Usual
from penstock.sidetree.usual.keys import CURVES, P256, Ed25519, Secp256k1
from tests.sidetree.lives import key


@pytest.mark.parametrize(("curve", "kind"), [("P-256", P256), ("secp256k1", Secp256k1), ("Ed25519", Ed25519)])
def test_the_keys_that_we_make_are_usual(curve: str, kind: type) -> None:
    assert isinstance(Usual(kind).read(canonical(key("usual", curve).public)), kind)
    others = CURVES - {curve}
    assert all(Usual(kind).read(canonical(key("usual", other).public)) is None for other in others)


def test_every_curve_that_signs_is_there() -> None:
    assert KINDS.keys() == CURVES
