"""Judging by the broker's own users."""

from __future__ import annotations

import asyncio

from penstock.panel.accounts.judging import OwnJudge
from penstock.server.authentication import Peer
from penstock.server.embedded import Embedded
from penstock.server.passwords import CHEAP
from penstock.settings import Settings

HERE = Peer(address="127.0.0.1")
ELSEWHERE = Peer(address="192.0.2.1")


def test_a_user_is_who_has_the_password_comes_from_where_it_may_and_stays_the_same() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=()))
        users = embedded.front.access.realm.users
        judge = OwnJudge(embedded.front.access)
        assert not judge.is_remembered("guest", "guest")
        guest = await judge.judge("guest", "guest", HERE)
        assert guest is not None
        assert judge.is_remembered("guest", "guest")
        assert judge.is_still(guest)
        assert await judge.judge("guest", "wrong", HERE) is None
        assert await judge.judge("guest", "guest", ELSEWHERE) is None
        assert (judge.knows("guest"), judge.knows("nobody")) == (True, False)
        users.change_tags("guest", ["monitoring"])
        assert not judge.is_still(guest)
        users.delete("guest")
        assert not judge.is_still(guest)
        await embedded.close()

    asyncio.run(story())


def test_nobody_locks_another_out_whom_the_broker_has_not_seen_yet() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=(), max_failed_logins=2))
        embedded.front.access.realm.users.add("alice", "right", cost=CHEAP)
        judge = OwnJudge(embedded.front.access)
        for _ in range(5):
            assert await judge.judge("alice", "guess", ELSEWHERE) is None
        assert (judge.is_slowed(ELSEWHERE), judge.is_slowed(HERE)) == (True, False)
        assert not judge.is_remembered("alice", "right")
        assert await judge.judge("alice", "right", ELSEWHERE) is None
        assert await judge.judge("alice", "right", HERE) is not None
        await embedded.close()

    asyncio.run(story())
