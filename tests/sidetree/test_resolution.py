from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import UnknownDid, UnknownVersion
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.methods import METHODS
from penstock.sidetree.multihash import commitment
from penstock.sidetree.protocol import ORB, SIDETREE, Protocol, Protocols
from penstock.sidetree.resolution import resolve
from tests.sidetree import reference
from tests.sidetree.lives import Life, add_services, anchored, changed, key
from tests.sidetree.reference import Step, plain_resolution
from tests.sidetree.vectors import lives, needs_vectors

if TYPE_CHECKING:
    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.state import State

PROTOCOLS = Protocols([ORB])

# The model

FLAWS = ["", "", "", "", "", "forged", "wrong", "invalid", "failing", "late"]
numbers = st.integers(0, 2)
others = st.builds(
    Step,
    name=st.just("?"),
    type=st.sampled_from(["update", "update", "update", "recover", "deactivate"]),
    key=numbers,
    next_update=numbers,
    next_recovery=numbers,
    flaw=st.sampled_from(FLAWS),
    published=st.booleans(),
)


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """Operations of one DID in the order in which they come to light, which is not that of their anchors."""
    first = Step("create", "create", flaw=draw(st.sampled_from(["", "", "invalid", "failing"])))
    # Whoever copies a create can spoil the delta, but nothing that the DID is named after.
    copies = draw(
        st.sampled_from(
            [[], [], [Step("copy", "create", flaw="wrong", published=draw(st.booleans()), original=first)]]
        )
    )
    steps = [first, *copies, *draw(st.lists(others, max_size=9))]
    times = draw(st.permutations(range(10, 10 + len(steps))))
    placed = [
        Step(**{**vars(step), "time": time, "name": step.name.replace("?", f"step{place}")})
        for place, (step, time) in enumerate(zip(steps, times, strict=True))
    ]
    return draw(st.permutations(placed))


def names(state: State) -> list[str]:
    return [service["id"] for service in state.document.get("services", [])]


def promised(kind: str, number: int | None) -> str | None:
    return None if number is None else commitment(key(f"{kind} {number}").public)


def check_alike(state: State, known: reference.Known) -> None:
    assert names(state) == known.services
    assert state.update_commitment == promised("update", known.update)
    assert state.recovery_commitment == promised("recovery", known.recovery)
    assert (state.deactivated, state.version) == (known.deactivated, known.version)


@given(histories())
def test_a_did_resolves_as_the_plain_reference_says(history: list[Step]) -> None:
    suffix = reference.suffix_of(next(step for step in history if step.name == "create"))
    operations = [reference.anchored(step, suffix) for step in history]
    known = plain_resolution(history)
    assert known is not None
    check_alike(resolve(suffix, operations, PROTOCOLS), known)


@given(histories(), st.integers(9, 21))
def test_so_it_does_at_any_earlier_time(history: list[Step], until: int) -> None:
    suffix = reference.suffix_of(next(step for step in history if step.name == "create"))
    operations = [reference.anchored(step, suffix) for step in history]
    known = plain_resolution([step for step in history if step.time <= until])
    if known is None:
        with pytest.raises((UnknownDid, UnknownVersion)):
            resolve(suffix, operations, PROTOCOLS, until=until)
    else:
        check_alike(resolve(suffix, operations, PROTOCOLS, until=until), known)


@given(histories())
def test_a_version_is_what_the_operations_up_to_it_made(history: list[Step]) -> None:
    suffix = reference.suffix_of(next(step for step in history if step.name == "create"))
    operations = [reference.anchored(step, suffix) for step in history]
    ordered = reference.in_order(history)
    for place, step in enumerate(ordered):
        known = plain_resolution(ordered[: place + 1])
        if step.published and known is not None and known.version == step.reference:
            check_alike(resolve(suffix, operations, PROTOCOLS, version=step.reference), known)


# Stories


def told(life: Life, *requests: bytes) -> list[Anchored]:
    return [anchored(request, life.suffix, 100 + place) for place, request in enumerate(requests)]


def test_a_whole_life() -> None:
    life = Life()
    story = told(life, life.create(), life.update(), life.recover(), life.update(), life.deactivate())
    seen = [resolve(life.suffix, story[: steps + 1], PROTOCOLS) for steps in range(5)]
    assert [(len(state.document.get("publicKeys", [])), names(state)) for state in seen] == [
        (1, []),
        (1, ["service1"]),
        (1, []),
        (1, ["service3"]),
        (0, []),
    ]
    assert [state.version for state in seen] == [entry.reference for entry in story]
    assert [state.reference for state in seen] == [
        "uAnchor100",
        "uAnchor100",
        "uAnchor102",
        "uAnchor102",
        "uAnchor102",
    ]
    assert (seen[0].created, seen[0].updated, seen[4].created, seen[4].updated) == (100, None, 100, 104)
    assert seen[4].deactivated
    assert seen[4].notes == ()


def test_who_was_anchored_first_wins_whenever_the_other_comes_to_light() -> None:
    life, twin = Life(), Life()
    begin = life.create()
    twin.create()
    mine, other = life.update(add_services("mine")), twin.update(add_services("other"))
    operations = [
        anchored(begin, life.suffix, 1),
        anchored(mine, life.suffix, 3),
        anchored(other, life.suffix, 2),
    ]
    assert names(resolve(life.suffix, operations, PROTOCOLS)) == ["other"]


def test_in_one_second_the_anchors_tell_which_came_first() -> None:
    life = Life()
    requests = [life.create(), life.update(), life.recover(), life.update()]
    places = [("uD", ""), ("uC", "uD"), ("uB", "uC"), ("uA", "uB")]
    operations = [
        anchored(request, life.suffix, 5, reference=mine, previous=previous)
        for request, (mine, previous) in zip(requests, places, strict=True)
    ]
    for start in range(4):
        state = resolve(life.suffix, operations[start:] + operations[:start], PROTOCOLS)
        assert (state.version, state.reference, names(state)) == ("uA", "uB", ["service3"])


def test_an_update_is_not_lost_where_nothing_but_the_second_is_known() -> None:
    life = Life()
    begin, request = life.create(), life.update()
    operations = [
        anchored(begin, life.suffix, 5, reference="uB"),
        anchored(request, life.suffix, 5, reference="uA"),
    ]
    assert names(resolve(life.suffix, operations, PROTOCOLS)) == ["service1"]


def test_an_operation_that_is_not_anchored_counts_after_all_that_are() -> None:
    life, twin = Life(), Life()
    begin = life.create()
    twin.create()
    waiting, published = life.update(add_services("waiting")), twin.update(add_services("published"))
    operations = [
        anchored(begin, life.suffix, 1),
        anchored(waiting, life.suffix, 2, reference=""),
    ]
    state = resolve(life.suffix, operations, PROTOCOLS)
    assert (names(state), state.version, state.published) == (["waiting"], "", True)
    operations.append(anchored(published, life.suffix, 3))
    assert names(resolve(life.suffix, operations, PROTOCOLS)) == ["published"]


def test_updates_count_though_the_create_is_known_from_a_long_form_only() -> None:
    life = Life()
    begin, request = life.create(), life.update()
    operations = [anchored(begin, life.suffix, 9, reference=""), anchored(request, life.suffix, 2)]
    assert names(resolve(life.suffix, operations, PROTOCOLS)) == ["service1"]


def test_an_update_that_was_anchored_before_its_create_is_none() -> None:
    life = Life()
    begin, request = anchored(life.create(), life.suffix, 9), life.update()
    early, late = anchored(request, life.suffix, 8), anchored(request, life.suffix, 10)
    assert names(resolve(life.suffix, [early, begin], PROTOCOLS)) == []
    assert names(resolve(life.suffix, [early, begin, late], PROTOCOLS)) == ["service1"]
    assert names(resolve(life.suffix, [early, begin], Protocols([SIDETREE]))) == ["service1"]


def test_where_commitments_alone_count_an_update_may_come_to_light_before_its_recover() -> None:
    life = Life()
    begin, recover, update = life.create(), life.recover(), life.update(add_services("early"))
    operations = [
        anchored(begin, life.suffix, 1),
        anchored(update, life.suffix, 2),
        anchored(recover, life.suffix, 3),
    ]
    assert names(resolve(life.suffix, operations, Protocols([SIDETREE]))) == ["early"]
    assert names(resolve(life.suffix, operations, PROTOCOLS)) == []


def test_an_update_before_a_recover_is_of_another_document() -> None:
    life = Life()
    begin, recover, update = life.create(), life.recover(), life.update()
    operations = [anchored(begin, life.suffix, 1), anchored(recover, life.suffix, 5)]
    before, after = anchored(update, life.suffix, 4), anchored(update, life.suffix, 6)
    assert names(resolve(life.suffix, [*operations, before], PROTOCOLS)) == []
    assert names(resolve(life.suffix, [*operations, before, after], PROTOCOLS)) == ["service2"]


def test_the_same_operation_twice_does_no_harm() -> None:
    life = Life()
    story = told(life, life.create(), life.update())
    again = [anchored(entry.request, life.suffix, entry.time + 10) for entry in story]
    state = resolve(life.suffix, [*again, *story], PROTOCOLS)
    assert (names(state), state.version) == (["service1"], "uAnchor101")


def test_bad_operations_are_told_of_and_passed_over() -> None:
    life = Life()
    begin = life.create()
    operations = [
        anchored(begin, life.suffix, 1),
        anchored(changed(life.update(), signedData="x"), life.suffix, 2),
        anchored(life.update(), life.suffix, 3, protocol_version=77),
        anchored(Life("other").create(), life.suffix, 0),
    ]
    state = resolve(life.suffix, operations, PROTOCOLS)
    assert state.version == "uAnchor1"
    assert [(note.type, note.reference) for note in state.notes] == [
        ("update", "uAnchor2"),
        ("update", "uAnchor3"),
        ("create", "uAnchor0"),
    ]
    assert [note.reason.split()[0] for note in state.notes] == ["signedData", "no", "the"]


def test_a_signature_that_was_verified_before_is_not_verified_again() -> None:
    life = Life()
    begin, request = life.create(), life.update()
    signed, _, signature = parse(request)["signedData"].rpartition(".")
    forged = changed(request, signedData=f"{signed}.{signature[:-4]}AAAA")
    operations = [anchored(begin, life.suffix, 1)]
    assert names(resolve(life.suffix, [*operations, anchored(forged, life.suffix, 2)], PROTOCOLS)) == []
    trusted = anchored(forged, life.suffix, 2, verified=True)
    assert names(resolve(life.suffix, [*operations, trusted], PROTOCOLS)) == ["service1"]


def test_each_operation_is_judged_by_its_own_protocol() -> None:
    narrow = Protocol(name="2.0", genesis_time=50, patches=frozenset({"add-public-keys"}))
    life = Life()
    begin, request = life.create(), life.update()
    for version, expected in ((0, ["service1"]), (50, [])):
        operations = [
            anchored(begin, life.suffix, 1),
            anchored(request, life.suffix, 60, protocol_version=version),
        ]
        assert names(resolve(life.suffix, operations, Protocols([ORB, narrow]))) == expected


# Refusals


def test_a_did_that_nobody_created_is_unknown() -> None:
    life = Life()
    life.create()
    with pytest.raises(UnknownDid, match="creates the DID"):
        resolve(life.suffix, [], PROTOCOLS)
    with pytest.raises(UnknownDid, match="creates the DID"):
        resolve(life.suffix, [anchored(life.update(), life.suffix, 1)], PROTOCOLS)


def test_a_version_that_never_was_is_unknown() -> None:
    life = Life()
    begin, bad = life.create(), changed(life.update(), revealValue=None)
    story = [anchored(begin, life.suffix, 1), anchored(bad, life.suffix, 2)]
    with pytest.raises(UnknownVersion, match="is anchored in 'uAnchor9'"):
        resolve(life.suffix, story, PROTOCOLS, version="uAnchor9")
    with pytest.raises(UnknownVersion, match="did not make a version"):
        resolve(life.suffix, story, PROTOCOLS, version="uAnchor2")
    with pytest.raises(UnknownVersion, match="as old as 0"):
        resolve(life.suffix, story, PROTOCOLS, until=0)


# Others' lives


@needs_vectors
def test_the_lives_of_sidetree_js_end_as_they_should() -> None:
    for life in lives("secp256k1"):
        create, update, recover, deactivate = (canonical(request) for request in life)
        suffix = life[1]["didSuffix"]
        story = [
            anchored(request, suffix, place)
            for place, request in enumerate((create, update, recover, deactivate))
        ]
        after = [resolve(suffix, story[: steps + 1], Protocols([SIDETREE])) for steps in range(4)]
        assert [names(state) for state in after] == [
            ["example-service"],
            ["example-service-2"],
            ["example-service-3"],
            [],
        ]
        assert [state.deactivated for state in after] == [False, False, False, True]
        assert all(state.notes == () for state in after)


@needs_vectors
def test_lives_with_the_wrong_algorithm_stop_at_their_create() -> None:
    for life in lives("ed25519"):
        suffix = life[1]["didSuffix"]
        story = [anchored(canonical(request), suffix, place) for place, request in enumerate(life)]
        state = resolve(suffix, story, METHODS["did:ion"].protocols)
        assert (state.version, names(state)) == ("uAnchor0", ["example-service"])
