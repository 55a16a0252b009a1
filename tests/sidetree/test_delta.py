from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock.errors import BadPatch, InvalidOperation
from penstock.sidetree.canonical import canonical
from penstock.sidetree.delta import check_delta, check_delta_of, composed
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB, SIDETREE
from tests.sidetree.lives import add_keys, add_services, public_key, service

DELTA = {"patches": [add_keys("a")], "updateCommitment": hashed("next")}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return {"action": "ietf-json-patch", "patches": [{"op": "add", "path": "/x", "value": value}]}


def test_a_delta_that_holds_gives_its_canonical_form() -> None:
    assert check_delta(DELTA, ORB) == canonical(DELTA)
    assert check_delta_of(hashed(DELTA), DELTA, ORB) == canonical(DELTA)


def test_ion_takes_a_delta_that_changes_nothing() -> None:
    nothing = {**DELTA, "patches": []}
    assert check_delta(nothing, SIDETREE) == canonical(nothing)
    assert composed({"services": []}, nothing) == {"services": []}


@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        (None, "must be an object"),
        ({"patches": [add_keys("a")]}, "no 'updateCommitment'"),
        ({**DELTA, "more": 1}, "no member 'more'"),
        ({**DELTA, "patches": []}, "must list something"),
        ({**DELTA, "patches": {}}, "must be a list"),
        ({**DELTA, "patches": [{"action": "fly"}]}, "an action that is known"),
        ({**DELTA, "updateCommitment": "x"}, "updateCommitment is not a multihash"),
        ({**DELTA, "patches": [deep(101)]}, "deeper than 100 levels"),
        ({**DELTA, "patches": [add_services(*(f"service{n}" for n in range(20)))]}, "over the limit of 1700"),
    ],
)
def test_a_delta_that_does_not_hold_is_refused(delta: Any, reason: str) -> None:
    with pytest.raises(InvalidOperation, match=reason):
        check_delta(delta, ORB)
    with pytest.raises(InvalidOperation, match=reason):
        check_delta_of(hashed(delta), delta, ORB)


def test_a_usual_delta_is_taken_by_protocols_that_take_all_that_is_usual() -> None:
    for protocol in (ORB, SIDETREE):
        assert check_delta_of(hashed(DELTA), DELTA, protocol) == canonical(DELTA)
    with pytest.raises(InvalidOperation, match="add-public-keys"):
        check_delta_of(hashed(DELTA), DELTA, replace(ORB, patches=frozenset({"add-services"})))


def test_another_delta_than_the_one_that_was_hashed_is_refused() -> None:
    with pytest.raises(InvalidOperation, match="not the one that deltaHash was made of"):
        check_delta_of(hashed("another"), DELTA, ORB)


def test_the_limit_is_of_the_canonical_form_and_counts_itself() -> None:
    filler = 1700 - len(
        canonical(
            {**DELTA, "patches": [add_keys("a"), {"action": "add-services", "services": [service(note="")]}]}
        )
    )
    for letters, fits in ((filler, True), (filler + 1, False)):
        patches = [add_keys("a"), {"action": "add-services", "services": [service(note="x" * letters)]}]
        if fits:
            assert len(check_delta({**DELTA, "patches": patches}, ORB)) == 1700
        else:
            with pytest.raises(InvalidOperation, match="1701 bytes"):
                check_delta({**DELTA, "patches": patches}, ORB)


def test_patches_are_applied_in_order_and_all_or_none_count() -> None:
    document = composed({}, {"patches": [add_keys("a", "b"), {"action": "remove-public-keys", "ids": ["a"]}]})
    assert document == {"publicKeys": [public_key("b")]}
    failing = {"action": "ietf-json-patch", "patches": [{"op": "remove", "path": "/unknown"}]}
    with pytest.raises(BadPatch, match="nothing stands"):
        composed(document, {"patches": [add_keys("c"), failing]})
    assert document == {"publicKeys": [public_key("b")]}
