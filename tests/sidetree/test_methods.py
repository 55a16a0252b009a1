from __future__ import annotations

import pytest

from penstock.sidetree.methods import METHODS, Method, method_of
from penstock.sidetree.protocol import ORB, SIDETREE


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_known_by_its_name(name: str) -> None:
    assert method_of(f"{name}:whatever:more") is METHODS[name]


def test_orb_has_its_own_protocol_and_the_others_the_specifications() -> None:
    assert METHODS["did:orb"].protocols.current() is ORB
    assert METHODS["did:ion"].protocols.current() is SIDETREE


def test_an_unknown_method_is_like_ion() -> None:
    made = method_of("did:mine:suffix")
    assert (made.namespace, made.anchored, made.relative) == ("did:mine", False, True)
    assert Method(namespace="did:mine").protocols.current() is SIDETREE
