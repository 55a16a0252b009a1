"""Sessions: in memory, over after a while, each with a token."""

from __future__ import annotations

import pytest

from penstock.panel.accounts.sessions import ABSOLUTE, IDLE, Sessions
from penstock.server.users import User

ALICE = User(name="alice")


def test_a_session_is_found_by_its_id_and_by_nothing_else() -> None:
    sessions = Sessions()
    session = sessions.begin(ALICE, 0.0)
    assert sessions.find(session.id, 1.0) is session
    assert sessions.find(session.token, 1.0) is None
    assert sessions.find("", 1.0) is None


def test_no_two_sessions_have_an_id_or_a_token_in_common() -> None:
    sessions = Sessions()
    made = [sessions.begin(ALICE, 0.0) for _ in range(100)]
    assert len({each.id for each in made} | {each.token for each in made}) == 200
    assert all(len(each.id) >= 43 for each in made)


@pytest.mark.parametrize(
    ("uses", "at", "found"), [([], IDLE - 1, True), ([], IDLE, False), ([IDLE - 1], IDLE, True)]
)
def test_a_session_is_over_when_nobody_used_it_for_a_while(uses: list[float], at: float, found: bool) -> None:  # noqa: FBT001
    sessions = Sessions()
    session = sessions.begin(ALICE, 0.0)
    for use in uses:
        sessions.find(session.id, use)
    assert (sessions.find(session.id, at) is not None) is found


def test_what_a_page_asks_by_itself_keeps_nobody_in() -> None:
    sessions = Sessions()
    session = sessions.begin(ALICE, 0.0)
    assert sessions.find(session.id, IDLE - 1, used=False) is session
    assert sessions.find(session.id, IDLE) is None


def test_a_session_is_over_after_some_hours_however_often_it_was_used() -> None:
    sessions = Sessions()
    session = sessions.begin(ALICE, 0.0)
    step = IDLE / 2
    for number in range(1, int(ABSOLUTE / step)):
        assert sessions.find(session.id, number * step) is session
    assert sessions.find(session.id, ABSOLUTE) is None


def test_a_session_that_was_ended_is_gone() -> None:
    sessions = Sessions()
    session = sessions.begin(ALICE, 0.0)
    sessions.end(session.id)
    sessions.end("never was")
    assert sessions.find(session.id, 0.0) is None


def test_beyond_the_limit_the_one_that_was_used_longest_ago_ends() -> None:
    sessions = Sessions(most=2)
    first, second = sessions.begin(ALICE, 0.0), sessions.begin(ALICE, 1.0)
    sessions.find(first.id, 2.0)
    third = sessions.begin(ALICE, 3.0)
    assert [sessions.find(each.id, 4.0) for each in (first, second, third)] == [first, None, third]


def test_those_that_are_over_make_room_first() -> None:
    sessions = Sessions(most=2)
    old, young = sessions.begin(ALICE, 0.0), sessions.begin(ALICE, IDLE / 2)
    sessions.begin(ALICE, IDLE)
    assert (len(sessions), sessions.find(old.id, IDLE), sessions.find(young.id, IDLE)) == (2, None, young)


def test_only_its_own_token_is_its_token() -> None:
    session = Sessions().begin(ALICE, 0.0)
    assert session.has_token(session.token)
    assert not any(map(session.has_token, ("", session.id, session.token[:-1], "ü")))


def test_ids_and_tokens_are_in_no_log() -> None:
    session = Sessions().begin(ALICE, 0.0)
    assert session.id not in repr(session)
    assert session.token not in repr(session)
