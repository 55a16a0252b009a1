from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.errors import UnknownVersion
from penstock.sidetree.patches.actions import ACTIONS
from penstock.sidetree.patches.public_keys import PURPOSES
from penstock.sidetree.protocol import ALL_PATCHES, ORB, ORB_KEY_TYPES, SIDETREE, Protocol, Protocols

FIRST = Protocol(name="1.0", genesis_time=10)
SECOND = Protocol(name="2.0", genesis_time=20)


@pytest.mark.parametrize(("time", "expected"), [(10, FIRST), (19, FIRST), (20, SECOND), (10**9, SECOND)])
def test_a_version_is_in_force_until_the_next_one_is(time: int, expected: Protocol) -> None:
    assert Protocols([SECOND, FIRST]).at(time) is expected


def test_before_the_first_version_there_is_none() -> None:
    with pytest.raises(UnknownVersion, match="in force at 9"):
        Protocols([FIRST, SECOND]).at(9)


def test_a_version_is_found_by_its_genesis_time() -> None:
    protocols = Protocols([FIRST, SECOND])
    assert protocols.of(20) is SECOND
    assert protocols.current() is SECOND
    assert repr(protocols) == "<Protocols 1.0 from 10, 2.0 from 20>"
    with pytest.raises(UnknownVersion, match="genesis time 15"):
        protocols.of(15)


def test_another_version_than_the_newest_may_be_written() -> None:
    protocols = Protocols([FIRST, SECOND], written="1.0")
    assert protocols.current() is FIRST
    assert protocols.at(20) is SECOND
    with pytest.raises(UnknownVersion, match="is none of the protocol"):
        Protocols([FIRST, SECOND], written="3.0")


def test_less_may_be_taken_than_is_read() -> None:
    protocols = Protocols([FIRST, SECOND], written="1.0").with_patches({"replace", "add-services", "other"})
    assert protocols.current().patches == {"add-services", "replace"}
    assert protocols.current() == replace(FIRST, patches=protocols.current().patches)
    assert protocols.of(20).patches == protocols.current().patches


def test_two_versions_cannot_begin_at_once() -> None:
    with pytest.raises(UnknownVersion, match="same genesis time"):
        Protocols([FIRST, Protocol(genesis_time=10)])


def test_every_patch_of_the_list_can_be_done() -> None:
    assert ACTIONS.keys() == ALL_PATCHES


def test_the_purposes_of_every_key_type_are_known() -> None:
    assert frozenset().union(*ORB_KEY_TYPES.values()) == PURPOSES


def test_the_parameters_are_those_of_orb_and_of_the_specification() -> None:
    assert (ORB.max_delta_size, ORB.max_cas_uri_length, ORB.max_operation_size) == (1700, 500, 2500)
    assert (SIDETREE.max_delta_size, SIDETREE.max_cas_uri_length) == (1000, 100)
