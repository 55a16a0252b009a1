"""What every shelf does alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.workers.cached.shelf import Claim, Entry

if TYPE_CHECKING:
    from penstock.workers.cached import Shelf

SOL = Entry("starmap", "0:0:0")
VEGA = Entry("starmap", "0:50:0")
ROOM = 1000


def claimed(shelf: Shelf, entry: Entry = SOL, now: float = 0.0) -> str:
    """The token of a new claim."""
    found = shelf.claim(entry, now=now, until=now + 10)
    assert isinstance(found, Claim)
    assert found.is_own
    return found.token


def kept(
    shelf: Shelf,
    entry: Entry,
    token: str,
    value: bytes,
    *,
    now: float = 0.0,
    lasts: float = 60,
    room: int = ROOM,
) -> bool:
    return shelf.keep(entry, token, value, now=now, expires_at=now + lasts, room=room)


def has(shelf: Shelf, entry: Entry, now: float = 0.0) -> bytes | None:
    found = shelf.claim(entry, now=now, until=now)
    return found if isinstance(found, bytes) else None


def test_the_first_to_ask_has_the_claim_and_all_others_hear_of_it(shelf: Shelf) -> None:
    token = claimed(shelf)
    assert shelf.claim(SOL, now=1, until=11) == Claim(token, 10, is_own=False)
    assert shelf.claim(VEGA, now=1, until=11) != Claim(token, 10, is_own=False)


def test_a_value_that_was_made_is_there_for_all_until_it_expires(shelf: Shelf) -> None:
    assert kept(shelf, SOL, claimed(shelf), b"stars")
    assert shelf.claim(SOL, now=59, until=69) == b"stars"
    assert claimed(shelf, now=60)


def test_a_claim_lapses(shelf: Shelf) -> None:
    first = claimed(shelf)
    second = claimed(shelf, now=10)
    assert first != second
    assert not kept(shelf, SOL, first, b"late", now=11)
    assert kept(shelf, SOL, second, b"stars", now=11)


def test_a_claim_is_of_the_first_job_that_begins_and_holds_as_long_as_that_says(shelf: Shelf) -> None:
    token = claimed(shelf)
    assert shelf.claim(SOL, now=5, until=65, maker="a") == Claim(token, 65, is_own=True)
    assert shelf.claim(SOL, now=6, until=66, maker="b") == Claim(token, 65, is_own=False)
    assert shelf.claim(SOL, now=7, until=67, maker="a") == Claim(token, 67, is_own=True)
    assert shelf.claim(SOL, now=66, until=76) == Claim(token, 67, is_own=False)
    found = shelf.claim(SOL, now=67, until=127, maker="b")
    assert isinstance(found, Claim)
    assert found.is_own, "whoever had it is dead"


def test_a_claim_that_stands_can_be_renewed(shelf: Shelf) -> None:
    token = claimed(shelf)
    shelf.renew(SOL, token, 100)
    shelf.renew(SOL, "another", 200)
    shelf.renew(VEGA, token, 200)
    assert shelf.claim(SOL, now=99, until=109) == Claim(token, 100, is_own=False)
    assert kept(shelf, SOL, token, b"stars", now=99, lasts=1)
    shelf.renew(SOL, token, 200)
    assert claimed(shelf, now=100), "a value holds as long as it did"


def test_who_begins_without_a_claim_gets_one(shelf: Shelf) -> None:
    found = shelf.claim(SOL, now=5, until=65, maker="a")
    assert isinstance(found, Claim)
    assert (found.until, found.is_own) == (65, True)


def test_what_is_forgotten_is_not_kept_by_whoever_was_at_it(shelf: Shelf) -> None:
    # Given somebody who works from what was true then
    before = claimed(shelf)
    # When that is no longer true
    shelf.forget(SOL)
    # Then the result is not kept, and the next who asks has it made anew
    assert not kept(shelf, SOL, before, b"old")
    after = claimed(shelf)
    assert not kept(shelf, SOL, before, b"old")
    assert kept(shelf, SOL, after, b"new")
    shelf.forget(SOL)
    assert has(shelf, SOL) is None


def test_a_claim_that_is_given_up_can_be_taken_at_once(shelf: Shelf) -> None:
    token = claimed(shelf)
    shelf.release(SOL, "another's")
    assert shelf.claim(SOL, now=1, until=11) == Claim(token, 10, is_own=False)
    shelf.release(SOL, token)
    assert kept(shelf, SOL, claimed(shelf), b"stars")
    shelf.release(SOL, token)
    assert has(shelf, SOL) == b"stars"


def test_those_kept_longest_ago_make_room(shelf: Shelf) -> None:
    entries = [Entry("starmap", str(number)) for number in range(4)]
    under_way = claimed(shelf, VEGA)
    for at, entry in enumerate(entries):
        assert kept(shelf, entry, claimed(shelf, entry, at), b"x" * 400, now=at)
    assert [has(shelf, entry, 5) is not None for entry in entries] == [False, False, True, True]
    assert kept(shelf, VEGA, under_way, b"y", now=5), "a claim takes no room"


def test_one_cache_makes_no_room_for_another(shelf: Shelf) -> None:
    other = Entry("captcha", "1")
    assert kept(shelf, other, claimed(shelf, other), b"x" * 900)
    assert kept(shelf, SOL, claimed(shelf), b"x" * 900)
    assert has(shelf, other) is not None


def test_what_is_larger_than_all_the_room_is_not_kept(shelf: Shelf) -> None:
    assert not kept(shelf, SOL, claimed(shelf), b"x" * (ROOM + 1))
    assert has(shelf, SOL) is None


def test_what_has_expired_makes_room_first(shelf: Shelf) -> None:
    assert kept(shelf, SOL, claimed(shelf), b"x" * 600, lasts=60)
    short = Entry("starmap", "short")
    assert kept(shelf, short, claimed(shelf, short), b"x" * 300, now=1, lasts=2)
    assert kept(shelf, VEGA, claimed(shelf, VEGA, 4), b"x" * 300, now=4)
    assert has(shelf, SOL, 5) is not None
