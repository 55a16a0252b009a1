from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import accept, follow, invite, names, reject, undo
from penstock.did.federation.acceptance import Acceptance
from penstock.did.federation.archive import OUTBOX, keep_activity
from penstock.did.federation.handlers import Handlers
from penstock.did.federation.membership import FOLLOWERS, FOLLOWING, WITNESSES, WITNESSING, all_members
from penstock.did.federation.relations import Relations
from penstock.errors import BadActivity
from tests.did.federation.helpers import A, B, told
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase

ASKING = {names.FOLLOW: follow, names.INVITE: invite}
KINDS = [(names.FOLLOW, FOLLOWERS, FOLLOWING), (names.INVITE, WITNESSING, WITNESSES)]
ALL_KINDS = pytest.mark.parametrize(("kind", "askers", "granters"), KINDS)


class Side:
    """Domain A, and what it posts."""

    def __init__(self, database: DomainDatabase, clock: VirtualClock, acceptance: Acceptance) -> None:
        self.database = database
        self.posted: list[Any] = []
        self.coming, self.going = Handlers(), Handlers()
        Relations(database, A, self.post, acceptance, clock=clock).register(self.coming, self.going)

    async def post(self, activity: Mapping[str, Any]) -> None:
        self.posted.append(activity)

    def hears(self, activity: Any) -> None:
        run(self.coming.handle(told(activity)))

    def sends(self, activity: Any) -> None:
        self.database.do(keep_activity, OUTBOX, told(activity), at=1.0)
        run(self.going.handle(told(activity)))

    def __getitem__(self, collection: str) -> list[str]:
        return self.database.do(all_members, collection)


@pytest.fixture
def side(kept_in_memory: DomainDatabase, clock: VirtualClock) -> Side:
    return Side(kept_in_memory, clock, Acceptance())


def asks(kind: str, actor: Any = B, target: Any = A, number: int = 1) -> Any:
    return ASKING[kind](name=actor.activity(f"{number}"), actor=actor.service, target=target.service)


@ALL_KINDS
def test_who_asks_is_accepted_and_always_with_the_same_answer(
    side: Side, kind: str, askers: str, granters: str
) -> None:
    for _ in range(2):
        side.hears(asks(kind))
    assert side[askers] == [B.service]
    assert side[granters] == []
    first, second = side.posted
    assert first == second
    assert (first["type"], first["object"], first["to"]) == (names.ACCEPT, asks(kind), [B.service])


@ALL_KINDS
def test_who_is_not_listed_is_rejected(
    kept_in_memory: DomainDatabase, clock: VirtualClock, kind: str, askers: str, granters: str
) -> None:
    Side(kept_in_memory, clock, Acceptance()).hears(asks(kind))
    side = Side(kept_in_memory, clock, Acceptance(followers=frozenset(), witnessing=frozenset()))
    side.hears(asks(kind))
    assert side[askers] == []
    assert [each["type"] for each in side.posted] == [names.REJECT]


@ALL_KINDS
def test_who_asks_for_another_is_refused(side: Side, kind: str, askers: str, granters: str) -> None:
    with pytest.raises(BadActivity, match="another service"):
        side.hears(asks(kind, target=B))
    assert side[askers] == []
    assert not side.posted


@ALL_KINDS
def test_an_answer_to_what_was_asked_counts(side: Side, kind: str, askers: str, granters: str) -> None:
    question = asks(kind, A, B)
    side.sends(question)
    for _ in range(2):
        side.hears(accept(name="x", actor=B.service, answered=question))
    assert side[granters] == [B.service]
    assert side[askers] == []
    side.hears(reject(name="y", actor=B.service, answered=question))
    assert side[granters] == []


@ALL_KINDS
@pytest.mark.parametrize("change", [{"id": "another"}, {"type": "other"}, {"actor": "https://c.example"}])
def test_an_answer_to_what_was_not_asked_is_refused(
    side: Side, kind: str, askers: str, granters: str, change: dict[str, str]
) -> None:
    side.sends(asks(kind, A, B))
    other = names.INVITE if kind == names.FOLLOW else names.FOLLOW
    question = asks(other, A, B) if "type" in change else asks(kind, A, B) | change
    with pytest.raises(BadActivity, match="not asked"):
        side.hears(accept(name="x", actor=B.service, answered=question))
    assert side[granters] == side[askers] == []


@ALL_KINDS
def test_what_was_asked_can_be_taken_back_whatever_comes_first(
    side: Side, kind: str, askers: str, granters: str
) -> None:
    for number, order in enumerate([(0, 1), (1, 0), (0, 1, 0)]):
        question = asks(kind, number=number)
        both = question, undo(name=f"undo {number}", actor=B.service, undone=question)
        for which in order:
            side.hears(both[which])
        assert side[askers] == []
    side.hears(asks(kind, number=9))
    assert side[askers] == [B.service]


@ALL_KINDS
def test_an_answer_that_comes_after_the_undo_counts_for_nothing(
    side: Side, kind: str, askers: str, granters: str
) -> None:
    question = asks(kind, A, B)
    side.sends(question)
    side.hears(accept(name="x", actor=B.service, answered=question))
    side.sends(undo(name="y", actor=A.service, undone=question))
    assert side[granters] == []
    side.hears(accept(name="z", actor=B.service, answered=question))
    assert side[granters] == []


@ALL_KINDS
def test_the_undo_of_an_old_question_does_not_end_a_new_one(
    side: Side, kind: str, askers: str, granters: str
) -> None:
    old, new = asks(kind, number=1), asks(kind, number=2)
    for activity in (old, new, undo(name="x", actor=B.service, undone=old)):
        side.hears(activity)
    assert side[askers] == [B.service]
    side.hears(undo(name="y", actor=B.service, undone=new))
    assert side[askers] == []


@ALL_KINDS
def test_nobody_takes_back_what_another_has_asked(side: Side, kind: str, askers: str, granters: str) -> None:
    side.hears(asks(kind))
    forged = undo(name="x", actor="https://c.example/services/orb", undone=asks(kind))
    with pytest.raises(BadActivity, match="undoes"):
        side.hears(forged)
    assert side[askers] == [B.service]
