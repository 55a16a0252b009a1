from __future__ import annotations

from typing import Any

import pytest

from penstock.did.activities.relation import (
    Asked,
    accept,
    answered,
    asked,
    follow,
    invite,
    reject,
    undo,
    undone,
)
from penstock.errors import BadActivity
from tests.did.activities.helpers import NAME, A, B, C, changed, told

FOLLOW = follow(name=NAME, actor=A, target=B)
INVITE = invite(name=NAME, actor=A, target=B)
BOTH: list[tuple[dict[str, Any], str]] = [(FOLLOW, "Follow"), (INVITE, "Invite")]


@pytest.mark.parametrize(("document", "kind"), BOTH)
def test_one_asks_and_the_other_answers(document: dict[str, Any], kind: str) -> None:
    expected = Asked(type=kind, name=NAME, actor=A, target=B)
    assert document["to"] == [B]
    assert asked(told(document)) == expected
    for answer in (accept, reject):
        said = answer(name="x", actor=B, answered=document)
        assert said["to"] == [A]
        assert answered(told(said)) == expected


def test_an_invitation_names_witnessing_as_its_object() -> None:
    assert INVITE["object"] == "https://w3id.org/activityanchors#AnchorWitness"
    assert INVITE["@context"] == [
        "https://www.w3.org/ns/activitystreams",
        "https://w3id.org/activityanchors/v1",
    ]


@pytest.mark.parametrize(("document", "kind"), BOTH)
def test_who_asked_can_take_it_back(document: dict[str, Any], kind: str) -> None:
    said = undo(name="x", actor=A, undone=document)
    assert said["to"] == [B]
    assert undone(told(said)).type == kind


@pytest.mark.parametrize(("document", "kind"), BOTH)
def test_others_neither_answer_nor_undo(document: dict[str, Any], kind: str) -> None:
    with pytest.raises(BadActivity) as caught:
        answered(told(accept(name="x", actor=C, answered=document)))
    assert caught.value.rule == "actor"
    with pytest.raises(BadActivity) as caught:
        undone(told(undo(name="x", actor=B, undone=document)))
    assert caught.value.rule == "actor"


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (changed(FOLLOW, "object", None), "no-object"),
        (changed(FOLLOW, "type", "Like"), "type"),
        (changed(INVITE, "object", "https://a.example#Dance"), "object"),
        (changed(INVITE, "target", None), "no-target"),
    ],
)
def test_what_asks_for_nothing_known_is_refused_with_its_rule(document: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        asked(told(document))
    assert caught.value.rule == rule


def test_an_answer_to_nothing_is_refused() -> None:
    with pytest.raises(BadActivity):
        answered(told(FOLLOW))
    with pytest.raises(BadActivity):
        undone(told(accept(name="x", actor=B, answered=FOLLOW)))
