from __future__ import annotations

import pytest

from penstock.sidetree.methods import METHODS, Method, method_of
from penstock.sidetree.protocol import ION, ORB, SIDETREE, Protocol


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_known_by_its_name(name: str) -> None:
    assert method_of(f"{name}:whatever:more") is METHODS[name]


@pytest.mark.parametrize(
    ("name", "protocol"),
    [("orb", ORB), ("ion", ION), ("elem", ION), ("photon", ION), ("sidetree", SIDETREE)],
)
def test_a_method_has_the_protocol_of_its_network(name: str, protocol: Protocol) -> None:
    assert METHODS[f"did:{name}"].protocols.current() is protocol


def test_an_unknown_method_is_by_the_specification() -> None:
    made = method_of("did:mine:suffix")
    assert (made.namespace, made.anchored, made.relative) == ("did:mine", False, True)
    assert Method(namespace="did:mine").protocols.current() is SIDETREE
