"""How domains come to know each other: one asks to follow another, or for its witness, and is answered.

    Follow    object: who is to be followed
    Invite    object: witnessing, target: who is to be a witness
    Accept, Reject    object: the Follow or the Invite, by who was asked
    Undo      object: the Follow or the Invite, by who had asked

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.did.activities import names
from penstock.did.activities.activity import Activity, activity
from penstock.did.activities.names import ACTIVITY_ANCHORS, ACTIVITY_STREAMS, ANCHOR_WITNESS
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Asked", "accept", "answered", "asked", "follow", "invite", "reject", "undo", "undone"]


def follow(*, name: str, actor: str, target: str) -> dict[str, Any]:
    """Ask to be told of another's anchors."""
    return activity(names.FOLLOW, name=name, actor=actor, to=[target], about=target)


def invite(*, name: str, actor: str, target: str) -> dict[str, Any]:
    """Ask another to witness one's anchors."""
    return activity(
        names.INVITE,
        name=name,
        actor=actor,
        to=[target],
        about=ANCHOR_WITNESS,
        target=target,
        contexts=(ACTIVITY_STREAMS, ACTIVITY_ANCHORS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one domain asks another for."""

    #: FOLLOW or INVITE.
    type: str
    name: str
    actor: str
    target: str


def asked(told: Activity) -> Asked:
    """What is asked for.

    Raises:
        BadActivity: it is no Follow and no Invite, or an invitation to something else.
    """
    told.demand(names.FOLLOW, names.INVITE)
    if told.type == names.INVITE and (to_what := told.reader.iri("object")) != ANCHOR_WITNESS:
        raise BadActivity("object", f"{told.reader.what} invites to {to_what[:120]!r}, not to witnessing")
    target = told.reader.iri("object" if told.type == names.FOLLOW else "target")
    return Asked(type=told.type, name=told.name, actor=told.actor, target=target)


def accept(*, name: str, actor: str, answered: Mapping[str, Any]) -> dict[str, Any]:
    """Grant what was asked."""
    return _answer(names.ACCEPT, name, actor, answered)


def reject(*, name: str, actor: str, answered: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse what was asked."""
    return _answer(names.REJECT, name, actor, answered)


def _answer(kind: str, name: str, actor: str, answered: Mapping[str, Any]) -> dict[str, Any]:
    to = [Activity.read(answered).actor]
    return activity(kind, name=name, actor=actor, to=to, about=answered)


def answered(told: Activity) -> Asked:
    """What was asked, of an answer to it.

    Raises:
        BadActivity: it is no answer, or of somebody who was not asked.
    """
    told.demand(names.ACCEPT, names.REJECT)
    found = asked(told.inner)
    if found.target != told.actor:
        raise BadActivity("actor", f"{told.actor[:120]!r} answers what {found.target[:120]!r} was asked")
    return found


def undo(*, name: str, actor: str, undone: Mapping[str, Any]) -> dict[str, Any]:
    """Take back what one had asked for."""
    to = [asked(Activity.read(undone)).target]
    return activity(names.UNDO, name=name, actor=actor, to=to, about=undone)


def undone(told: Activity) -> Asked:
    """What is taken back.

    Raises:
        BadActivity: it is nothing that can be, or was asked by somebody else.
    """
    told.demand(names.UNDO)
    found = asked(told.inner)
    if found.actor != told.actor:
        raise BadActivity("actor", f"{told.actor[:120]!r} undoes what {found.actor[:120]!r} had asked for")
    return found
