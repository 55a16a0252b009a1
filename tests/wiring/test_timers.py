"""Timers: delays, expiries and leases of one queue; what a reference's notes no longer say is void."""

from __future__ import annotations

from math import inf

import pytest

from penstock.wiring.reference import State
from penstock.wiring.timers import Timers
from tests.wiring.support import reference


def test_without_anything_in_them_they_are_never_due() -> None:
    assert Timers(None).next_at() == inf


# Delays


def test_a_delayed_reference_is_due_at_its_time() -> None:
    timers, waits = Timers(None), reference(1)
    timers.delay(waits, 5.0)
    assert (waits.state, waits.noted().due_at, timers.next_at()) == (State.DELAYED, 5.0, 5.0)
    assert list(timers.delayed.due(5.0)) == [waits]


@pytest.mark.parametrize("state", [State.READY, State.HELD, State.GONE, State.BURIED])
def test_one_that_is_no_longer_delayed_is_not_due(state: State) -> None:
    timers, kicked = Timers(None), reference(1)
    timers.delay(kicked, 5.0)
    kicked.state = state
    assert list(timers.delayed.due(9.0)) == []


def test_one_that_is_delayed_again_is_due_at_the_later_time_only() -> None:
    timers, waits = Timers(None), reference(1)
    timers.delay(waits, 5.0)
    timers.delay(waits, 8.0)
    assert list(timers.delayed.due(7.0)) == []
    assert list(timers.delayed.due(8.0)) == [waits]


# Expiries


def test_an_expiring_reference_is_due_wherever_it_stands_but_behind_the_window() -> None:
    timers = Timers(None)
    for state in State:
        dying = reference(1)
        dying.state = state
        timers.expire(dying, 5.0)
    states = [found.state for found in timers.expiring.due(5.0)]
    assert states == [State.READY, State.DELAYED, State.HELD, State.BURIED]


def test_one_that_has_left_expires_no_more() -> None:
    timers, gone = Timers(None), reference(1)
    timers.expire(gone, 5.0)
    gone.state = State.GONE
    timers.leave(gone)
    assert (len(timers.expiring), timers.next_at()) == (0, inf)


def test_leaving_is_nothing_to_one_without_times() -> None:
    timers = Timers(3.0)
    timers.leave(reference(1))
    plain = reference(2)
    plain.noted()
    timers.leave(plain)
    assert (len(timers.expiring), len(timers.leases)) == (0, 0)


def test_what_the_backlog_keeps_it_also_expires() -> None:
    # Given one that expires, behind the window
    timers, far = Timers(None), reference(1)
    timers.expire(far, 5.0)
    timers.step_behind(far)
    assert (far.state, timers.next_at()) == (State.BEHIND, inf)
    # When it comes forward, it expires here again, once
    timers.step_forward(far)
    assert (far.state, timers.next_at()) == (State.READY, 5.0)
    due = timers.expiring.due(5.0)
    assert next(due) is far
    far.state = State.GONE
    assert list(due) == []


def test_to_step_behind_and_forward_is_nothing_to_one_that_lives_for_ever() -> None:
    timers, eternal = Timers(None), reference(1)
    timers.step_behind(eternal)
    timers.step_forward(eternal)
    assert (eternal.state, eternal.notes, timers.next_at()) == (State.READY, None, inf)


# Leases


def test_without_a_lease_nothing_is_noted() -> None:
    timers, held = Timers(None), reference(1)
    timers.lease(held, 7, 0.0)
    assert (held.notes, timers.next_at()) == (None, inf)


def test_a_lease_lapses_unless_it_is_renewed() -> None:
    timers, held = Timers(3.0), reference(1)
    held.state = State.HELD
    timers.lease(held, 7, 0.0)
    assert (held.noted().tag, timers.next_at()) == (7, 3.0)
    timers.lease(held, 7, 2.0)
    assert (len(timers.leases), list(timers.leases.due(4.9))) == (1, [])
    assert list(timers.leases.due(5.0)) == [held]


def test_a_lease_ends_when_the_reference_leaves_the_hand() -> None:
    timers, held = Timers(3.0), reference(1)
    held.state = State.HELD
    timers.lease(held, 7, 0.0)
    timers.leave_hand(held)
    assert (held.noted().lease_at, timers.next_at(), len(timers.leases)) == (inf, inf, 0)
    timers.leave_hand(held)  # once is enough
    assert len(timers.leases) == 0


def test_the_next_of_all_three_is_told() -> None:
    timers = Timers(2.0)
    first, second, third = reference(1), reference(2), reference(3)
    timers.expire(first, 9.0)
    assert timers.next_at() == 9.0
    timers.delay(second, 8.0)
    assert timers.next_at() == 8.0
    third.state = State.HELD
    timers.lease(third, 1, 0.0)
    assert timers.next_at() == 2.0


@pytest.mark.parametrize(
    ("message", "queue", "holder", "lease_at"),
    [(2.0, 3.0, 4.0, 12.0), (None, 3.0, 4.0, 13.0), (None, None, 4.0, 14.0)],
)
def test_the_messages_own_lease_comes_first_then_the_queues_then_its_holders(
    message: float | None, queue: float | None, holder: float, lease_at: float
) -> None:
    timers, held = Timers(queue), reference(1, lease_in=message)
    held.state = State.HELD
    timers.lease(held, 7, 10.0, holder)
    assert (held.noted().lease_at, held.noted().tag, timers.next_at()) == (lease_at, 7, lease_at)


def test_it_is_seen_when_the_first_with_a_lease_of_its_own_comes() -> None:
    timers = Timers(None)
    timers.see(reference(1))
    assert not timers.is_leasing
    timers.step_forward(reference(2, lease_in=5.0))
    assert timers.is_leasing
    assert Timers(3.0).is_leasing
