"""The rules one by one; test_resolution tries them all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import SidetreeError
from penstock.sidetree.applying import applied, created
from penstock.sidetree.canonical import parse
from penstock.sidetree.multihash import commitment, hashed
from penstock.sidetree.operations import Create, read_operation
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import NOW, ORIGIN, Life, add_services, anchored, changed, public_key

if TYPE_CHECKING:
    from penstock.sidetree.state import State

FAILING = {"action": "ietf-json-patch", "patches": [{"op": "remove", "path": "/nothing"}]}


@pytest.fixture
def life() -> Life:
    return Life()


def begun(life: Life, request: bytes, **place: Any) -> State:
    operation = read_operation(request, ORB)
    assert isinstance(operation, Create)
    return created(operation, anchored(request, place.pop("suffix", operation.suffix), NOW, **place), ORB)


def after(state: State, request: bytes, time: int = NOW + 1, **place: Any) -> State:
    return applied(
        state,
        read_operation(request, ORB),
        anchored(request, place.pop("suffix", state.suffix), time, **place),
        ORB,
    )


def another_delta(request: bytes) -> bytes:
    return changed(request, delta={"patches": [add_services("x")], "updateCommitment": hashed("x")})


def test_a_create_begins(life: Life) -> None:
    state = begun(life, life.create(), equivalents=("hl:x",))
    assert state.document == {"publicKeys": [public_key("alice-key")]}
    assert state.recovery_commitment == commitment(life.recovery_key.public)
    assert state.update_commitment == commitment(life.update_key.public)
    assert (state.created, state.updated, state.anchor_origin) == (NOW, None, ORIGIN)
    assert (state.version, state.reference, state.equivalents) == (
        f"uAnchor{NOW}",
        f"uAnchor{NOW}",
        ("hl:x",),
    )


@pytest.mark.parametrize("spoil", [another_delta, lambda request: changed(request, delta=None)])
def test_a_create_with_a_useless_delta_can_be_recovered_only(life: Life, spoil: Any) -> None:
    state = begun(life, spoil(life.create()))
    assert (state.document, state.update_commitment) == ({}, None)
    assert state.recovery_commitment == commitment(life.recovery_key.public)
    assert len(state.notes) == 1


def test_a_create_whose_patches_fail_can_be_updated(life: Life) -> None:
    state = begun(life, life.create(FAILING))
    assert (state.document, state.update_commitment) == ({}, commitment(life.update_key.public))
    assert "nothing stands" in state.notes[0].reason


def test_the_create_of_another_did_does_not_count(life: Life) -> None:
    with pytest.raises(SidetreeError, match="another DID's"):
        begun(life, life.create(), suffix=hashed("another"))


def test_an_update_changes_the_document_and_the_next_key(life: Life) -> None:
    state = after(begun(life, life.create()), life.update())
    assert state.document == {
        "publicKeys": [public_key("alice-key")],
        "services": add_services("service1")["services"],
    }
    assert state.update_commitment == commitment(life.update_key.public)
    assert (state.updated, state.version, state.reference) == (NOW + 1, f"uAnchor{NOW + 1}", f"uAnchor{NOW}")


@pytest.mark.parametrize(
    ("patches", "times", "reason"),
    [
        ([add_services("a"), FAILING], {}, "nothing stands"),
        ([], {"anchor_until": NOW}, "not anchored in its time"),
        ([], {"anchor_from": NOW + 2}, "not anchored in its time"),
    ],
)
def test_an_update_that_fails_or_is_late_still_moves_to_the_next_key(
    life: Life, patches: list[Any], times: dict[str, int], reason: str
) -> None:
    before = begun(life, life.create())
    state = after(before, life.update(*patches, **times))
    assert (state.document, state.version) == (before.document, f"uAnchor{NOW + 1}")
    assert state.update_commitment == commitment(life.update_key.public)
    assert reason in state.notes[0].reason


def test_a_recover_begins_anew(life: Life) -> None:
    before = after(begun(life, life.create()), life.update())
    state = after(before, life.recover(origin="https://new.example"), NOW + 2)
    assert state.document == {"publicKeys": [public_key("recovered1")]}
    assert state.recovery_commitment == commitment(life.recovery_key.public)
    assert state.update_commitment == commitment(life.update_key.public)
    assert (state.created, state.updated, state.anchor_origin) == (NOW, NOW + 2, "https://new.example")
    assert state.reference == state.version == f"uAnchor{NOW + 2}"


@pytest.mark.parametrize("spoil", [another_delta, lambda request: changed(request, delta=None)])
def test_a_recover_with_a_useless_delta_moves_to_the_next_recovery_key(life: Life, spoil: Any) -> None:
    state = after(begun(life, life.create()), spoil(life.recover()))
    assert (state.document, state.update_commitment) == ({}, None)
    assert state.recovery_commitment == commitment(life.recovery_key.public)


@pytest.mark.parametrize(("patches", "times"), [([FAILING], {}), ([], {"anchor_until": NOW})])
def test_a_recover_that_fails_or_is_late_moves_to_both_next_keys(
    life: Life, patches: list[Any], times: dict[str, Any]
) -> None:
    state = after(begun(life, life.create()), life.recover(*patches, **times))
    assert state.document == {}
    assert state.update_commitment == commitment(life.update_key.public)
    assert state.recovery_commitment == commitment(life.recovery_key.public)


def test_a_deactivate_ends_everything(life: Life) -> None:
    before = begun(life, life.create())
    state = after(before, life.deactivate())
    assert state.deactivated
    assert (state.document, state.update_commitment, state.recovery_commitment) == ({}, None, None)
    assert (state.reference, state.version, state.updated) == (before.reference, f"uAnchor{NOW + 1}", NOW + 1)


def spoilt(life: Life) -> list[tuple[bytes, str]]:
    """Requests that do not count, and why."""
    update, recover, deactivate = life.update(), life.recover(), life.deactivate()
    other = Life("other")
    other.create()
    foreign = parse(other.deactivate())["signedData"]
    return [
        (another_delta(update), "deltaHash was made of"),
        (changed(update, delta=None), "the delta must be an object"),
        (changed(update, revealValue=hashed("x")), "the reveal value is not"),
        (changed(recover, revealValue=hashed("x")), "the reveal value is not"),
        (changed(deactivate, signedData=foreign), "the reveal value is not"),
        (life.deactivate(anchor_until=NOW), "not anchored in its time"),
        (Life("again").create(), "created once"),
    ]


def test_what_does_not_count_says_why(life: Life) -> None:
    state = begun(life, life.create())
    for request, reason in spoilt(life):
        with pytest.raises(SidetreeError, match=reason):
            after(state, request)


def test_an_operation_filed_under_another_did_does_not_count(life: Life) -> None:
    state = begun(life, life.create())
    with pytest.raises(SidetreeError, match="another DID's"):
        after(state, life.update(), suffix=hashed("another"))


def test_the_signed_suffix_of_a_deactivate_must_be_this_dids(life: Life) -> None:
    state = begun(life, life.create())
    elsewhere = Life()
    elsewhere.suffix = hashed("another")
    with pytest.raises(SidetreeError, match="signed didSuffix is another DID's"):
        after(state, changed(elsewhere.deactivate(), didSuffix=life.suffix))
