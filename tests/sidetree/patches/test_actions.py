from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches import apply_patch, check_patch
from penstock.sidetree.protocol import ALL_PATCHES, ION, ORB
from tests.sidetree.lives import add_keys, add_services, public_key

PATCHES: dict[str, Any] = {
    "add-also-known-as": {"uris": ["urn:a"]},
    "add-public-keys": {"publicKeys": [public_key()]},
    "add-services": {"services": [{"id": "a", "type": "t", "serviceEndpoint": {}}]},
    "ietf-json-patch": {"patches": [{"op": "add", "path": "/x", "value": 1}]},
    "remove-also-known-as": {"uris": ["urn:a"]},
    "remove-public-keys": {"ids": ["a"]},
    "remove-services": {"ids": ["a"]},
    "replace": {"document": {}},
}


def test_there_is_a_case_for_every_action() -> None:
    assert PATCHES.keys() == ALL_PATCHES


@pytest.mark.parametrize("action", sorted(PATCHES))
def test_every_action_can_be_switched_off(action: str) -> None:
    patch = {"action": action, **PATCHES[action]}
    check_patch(patch, ORB)
    apply_patch({}, patch)
    with pytest.raises(BadPatch, match=f"{action!r} is not enabled"):
        check_patch(patch, replace(ORB, patches=ALL_PATCHES - {action}))


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (None, "an action that is known, not 'None'"),
        ([], "an action that is known"),
        ({}, "an action that is known"),
        ({"action": "fly"}, "not 'fly'"),
        ({"action": ["replace"]}, "an action that is known"),
        ({"action": "replace"}, "no 'document'"),
        ({"action": "replace", "document": {}, "more": 1}, "no member 'more'"),
        ({"action": "add-public-keys", "services": []}, "no 'publicKeys'"),
    ],
)
def test_a_patch_has_an_action_and_its_member_and_nothing_else(patch: Any, reason: str) -> None:
    with pytest.raises(BadPatch, match=reason):
        check_patch(patch, ORB)


def test_a_patch_may_say_more_where_it_is_open() -> None:
    patch = {"action": "replace", "document": {}, "note": "more"}
    check_patch(patch, ION)
    with pytest.raises(BadPatch, match="has no member 'note'"):
        check_patch(patch, ORB)


def test_patches_of_different_kinds_leave_each_other_alone() -> None:
    document = apply_patch(apply_patch({}, add_keys("a")), add_services("b"))
    assert document == {"publicKeys": [public_key("a")], "services": add_services("b")["services"]}
