"""Accounts: logins, and how somebody who guesses is slowed down."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.panel.accounts import Accounts
from penstock.panel.replies import ApiFault
from penstock.server.authentication import Peer
from penstock.server.users import User
from penstock.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

HERE = Peer(address="127.0.0.1")


class FakeJudge:
    """Knows one user, with one password."""

    def __init__(self) -> None:
        self.alice = User(name="alice")
        self.proved = False
        #: Addresses that have failed too often.
        self.slowed: set[str] = set()

    async def judge(self, name: str, password: str, peer: Peer) -> User | None:
        self.proved = (name, password) == ("alice", "right")
        return self.alice if self.proved else None

    def is_slowed(self, peer: Peer) -> bool:
        return peer.address in self.slowed

    def is_remembered(self, name: str, password: str) -> bool:
        return self.proved and (name, password) == ("alice", "right")

    def knows(self, name: str) -> bool:
        return name == "alice"

    def is_still(self, user: User) -> bool:
        return user is self.alice


def accounts_of(judge: FakeJudge, clock: VirtualClock, folder: Path | None = None) -> Accounts:
    return Accounts(judge, Settings(max_failed_logins=3, failed_login_window=60), clock, folder)


def refused(accounts: Accounts, name: str, password: str) -> ApiFault:
    with pytest.raises(ApiFault) as caught:
        asyncio.run(accounts.login(name, password, HERE))
    return caught.value


def test_an_address_that_has_guessed_too_often_waits_and_others_do_not() -> None:
    judge = FakeJudge()
    accounts = accounts_of(judge, VirtualClock())
    assert refused(accounts, "alice", "guess").status == 401
    judge.slowed.add(HERE.address)
    for name, password in (("alice", "right"), ("bob", "guess")):
        fault = refused(accounts, name, password)
        assert (fault.status, fault.headers["Retry-After"]) == (429, "60")
    elsewhere = Peer(address="192.0.2.1")
    assert asyncio.run(accounts.login("alice", "right", elsewhere)).user.name == "alice"


def test_a_password_that_was_proved_is_taken_from_any_address() -> None:
    judge = FakeJudge()
    accounts = accounts_of(judge, VirtualClock())
    asyncio.run(accounts.login("alice", "right", HERE))
    judge.slowed.add(HERE.address)
    assert refused(accounts, "alice", "guess").status == 429
    assert asyncio.run(accounts.login("alice", "right", HERE)).user.name == "alice"


def test_a_session_ends_when_its_user_is_another() -> None:
    judge = FakeJudge()
    accounts = accounts_of(judge, VirtualClock())
    session = asyncio.run(accounts.login("alice", "right", HERE))
    assert accounts.found(session.id) is session
    judge.alice = User(name="alice", tags=frozenset({"monitoring"}))
    assert accounts.found(session.id) is None
    assert len(accounts.sessions) == 0


def test_a_flood_of_failures_does_not_drive_what_matters_out_of_the_log() -> None:
    clock = VirtualClock()
    accounts = accounts_of(FakeJudge(), clock)
    for number in range(50):
        refused(accounts, f"user {number}", "guess")
    assert len(accounts.audit.newest(99)) == 3
    asyncio.run(accounts.login("alice", "right", HERE))
    assert accounts.audit.newest(1)[0].outcome == "done"
    clock.advance(60)
    refused(accounts, "alice", "guess")
    assert len(accounts.audit.newest(99)) == 5


def test_logins_are_audited_without_what_was_typed(tmp_path: Path) -> None:
    accounts = accounts_of(FakeJudge(), VirtualClock(5.0), tmp_path)
    asyncio.run(accounts.login("alice", "right", HERE))
    refused(accounts, "alice", "hunter2")
    refused(accounts, "hunter2", "")
    accounts.close()
    told = [(each.who, each.what, each.outcome) for each in accounts.audit.newest(9)]
    assert told == [
        ("", "POST /login", "not_authorised"),
        ("alice", "POST /login", "not_authorised"),
        ("alice", "POST /login", "done"),
    ]
    assert "hunter2" not in (tmp_path / "audit.jsonl").read_text()
