"""How domains come to know each other: Follow and Invite, their answers, and Undo, handled.

What becomes of each in whatever order they arrive is in grants.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import Activity, accept, answered, asked, names, reject, undone
from penstock.did.federation.archive import OUTBOX, find_activity
from penstock.did.federation.grants import Bond, dismiss, grant, is_taken_back, revoke, take_back
from penstock.did.federation.lists import acceptance_now
from penstock.did.federation.membership import FOLLOWERS, FOLLOWING, WITNESSES, WITNESSING
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.activities import Asked
    from penstock.did.database import DomainDatabase
    from penstock.did.federation.acceptance import Acceptance
    from penstock.did.federation.handlers import Handlers
    from penstock.did.federation.iris import Iris

    Post = Callable[[Mapping[str, Any]], Awaitable[Any]]

__all__ = ["Relations"]

#: Where who asked is put by who was asked, and the other way round.
ASKERS: Final = {names.FOLLOW: FOLLOWERS, names.INVITE: WITNESSING}
GRANTERS: Final = {names.FOLLOW: FOLLOWING, names.INVITE: WITNESSES}


class Relations:
    """A domain's relations to others."""

    def __init__(
        self, database: DomainDatabase, iris: Iris, post: Post, acceptance: Acceptance, *, clock: Clock
    ) -> None:
        """Nobody is known yet.

        Args:
            post: Where answers are posted: `outbox.post`.
            acceptance: Who gets what it asks for, unless the operator has said otherwise since.
        """
        self._database = database
        self._iris = iris
        self._post = post
        self._acceptance = acceptance
        self._clock = clock

    def register(self, coming: Handlers, going: Handlers) -> None:
        """Handle what comes in, and what this domain itself sends."""
        coming.on_follow(self.was_asked)
        coming.on_invite(self.was_asked)
        coming.on_accept(self.was_answered)
        coming.on_reject(self.was_answered)
        coming.on_undo(self.was_taken_back)
        going.on_undo(self.takes_back)

    async def was_asked(self, told: Activity) -> None:
        """Another wants to follow this domain, or wants it for its witness: answer."""
        question = asked(told)
        if question.target != self._iris.service:
            raise BadActivity("target", f"{question.target[:120]!r} is asked in the inbox of another service")
        acceptance = await self._database.ask(acceptance_now, self._acceptance)
        is_accepted = acceptance.accepts(question.type, question.actor)
        decide = grant if is_accepted else refuse
        if not await self._database.run(decide, asker_of(question), self._clock.now()):
            # It was taken back before it came: nobody waits for an answer.
            return
        answer = accept if is_accepted else reject
        name = self._iris.answer(answer.__name__, question.actor, question.name)
        await self._post(answer(name=name, actor=self._iris.service, answered=dict(told.document)))

    async def was_answered(self, told: Activity) -> None:
        """Another answers what this domain had asked; answers to offers are somebody else's business."""
        if told.inner.type not in GRANTERS:
            return
        is_accepted = told.type == names.ACCEPT
        await self._database.run(
            take_answer, answered(told), self._iris.service, self._clock.now(), is_accepted=is_accepted
        )

    async def was_taken_back(self, told: Activity) -> None:
        """Another no longer wants what it had asked for."""
        if told.inner.type in ASKERS:
            await self._database.run(take_back, asker_of(undone(told)), self._clock.now())

    async def takes_back(self, told: Activity) -> None:
        """This domain no longer wants what it had asked for."""
        if told.inner.type in GRANTERS:
            await self._database.run(take_back, granter_of(undone(told)), self._clock.now())


def asker_of(question: Asked) -> Bond:
    """By this, who asked is in a collection of who was asked."""
    collection = ASKERS[question.type]
    return Bond(collection=collection, member=question.actor, asking=question.name, asker=question.actor)


def granter_of(question: Asked) -> Bond:
    """By this, who was asked is in a collection of who asked."""
    collection = GRANTERS[question.type]
    return Bond(collection=collection, member=question.target, asking=question.name, asker=question.actor)


# Functions of a database connection


def refuse(connection: Connection, bond: Bond, now: float) -> bool:
    """Who asks is not wanted, and what it was granted before ends; False if it was taken back before."""
    dismiss(connection, bond, now)
    return not is_taken_back(connection, bond)


def take_answer(
    connection: Connection, question: Asked, service: str, now: float, *, is_accepted: bool
) -> None:
    """Note an answer to what this service had asked.

    Raises:
        BadActivity: it had not asked that.
    """
    document = find_activity(connection, OUTBOX, service, question.name)
    if question.actor != service or document is None or asked(Activity.read(document)) != question:
        raise BadActivity(
            "unasked", f"{question.target[:120]!r} answers {question.name[:120]!r}, which was not asked"
        )
    change = grant if is_accepted else revoke
    change(connection, granter_of(question), now)
