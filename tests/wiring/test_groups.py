"""Groups: one key's messages in order, in at most one consumer's hands, while other keys flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wiring.groups import Groups
from penstock.wiring.reference import State
from tests.wiring.support import consume, deliver, open_ledger, ready, reference, send, sequences, wired

if TYPE_CHECKING:
    from penstock.wiring import Consumer, Reference


def member(sequence: int, group: str = "g") -> Reference:
    return reference(sequence, group=group)


def someone(**how: Any) -> Consumer:
    return consume(*wired(), **how)


def filled(*numbers: int) -> tuple[Groups, list[Reference]]:
    groups, members = Groups(), [member(number) for number in numbers]
    for found in members:
        groups.arrive(found)
    return groups, members


# Tokens


def test_of_each_group_one_stands_in_the_lanes_and_the_rest_wait() -> None:
    groups = Groups()
    assert [groups.arrive(member(number)) for number in (1, 2, 3)] == [True, False, False]
    assert groups.arrive(member(4, "other"))
    assert (len(groups), sequences(groups)) == (2, [2, 3])


def test_one_that_comes_back_before_the_token_stands_in_the_lanes_too() -> None:
    groups, _ = filled(5, 6)
    assert groups.arrive(member(1))
    assert not groups.arrive(member(3))
    assert len(groups) == 2


def test_whose_turn_it_is_the_first_of_the_group_goes() -> None:
    groups, (five, _six) = filled(5, 6)
    first = member(1)
    groups.arrive(first)
    other = someone()
    assert groups.choose(first, other) == (first, other)
    groups.hand(first, other)
    assert groups.choose(five, other) == (five, other)


def test_if_an_earlier_one_has_come_back_it_goes_instead_of_the_token() -> None:
    # Given that 1 was in hand when 5 became the token, and came back behind it
    groups, (five, _six) = filled(5, 6)
    one, candidate = member(1), someone()
    groups._wait(groups._groups["g"], one)
    # When it is the token's turn, then 1 goes and 5 waits
    assert groups.choose(five, candidate) == (one, candidate)
    assert sequences(sorted(groups)) == [5, 6]


def test_the_next_token_comes_when_one_is_handed_out() -> None:
    groups, (one, two, _three) = filled(1, 2, 3)
    groups.choose(one, consumer := someone())
    assert groups.hand(one, consumer) is two
    assert len(groups) == 1


# In hand


def test_while_a_group_is_in_hand_it_belongs_to_that_consumer() -> None:
    groups, (one, two) = filled(1, 2)
    holder, other = someone(), someone()
    groups.choose(one, holder)
    groups.hand(one, holder)
    assert groups.choose(two, other) == (two, holder)


def test_a_group_whose_consumer_has_no_room_waits_until_it_settles() -> None:
    groups, (one, two) = filled(1, 2)
    holder, other = someone(prefetch=1), someone()
    groups.choose(one, holder)
    assert groups.hand(one, holder) is two
    holder.held = 1
    assert groups.choose(two, other) is None
    assert len(groups) == 1
    assert groups.settle(one) is two
    assert groups.choose(two, other) == (two, other)


def test_who_gets_one_by_one_gets_none_of_a_group_that_another_has() -> None:
    groups, (one, two) = filled(1, 2)
    holder, other = someone(), someone()
    groups.choose(one, holder)
    groups.hand(one, holder)
    assert groups.choose(two, other, shared=False) is None
    groups.settle(one)
    assert groups.choose(two, holder, shared=False) == (two, holder)


def test_a_group_that_neither_waits_nor_is_in_hand_is_forgotten() -> None:
    groups, (one,) = filled(1)
    groups.choose(one, consumer := someone())
    assert groups.hand(one, consumer) is None
    assert groups.settle(one) is None
    assert groups._groups == {}


# Leaving from the middle


@pytest.mark.parametrize(
    ("number", "in_lanes", "token", "left"),
    [(1, True, 2, [3]), (2, False, None, [3]), (3, False, None, [2])],
)
def test_a_withdrawn_one_is_missed_by_nobody(
    number: int, in_lanes: object, token: int | None, left: list[int]
) -> None:
    groups, members = filled(1, 2, 3)
    leaving = members[number - 1]
    leaving.state = State.GONE
    was_token, next_token = groups.withdraw(leaving)
    assert was_token is in_lanes
    assert (next_token and next_token.sequence) == token
    assert (len(groups), sequences(groups)) == (len(left), left)


def test_the_last_one_withdrawn_takes_the_group_with_it() -> None:
    groups, (one,) = filled(1)
    one.state = State.GONE
    assert groups.withdraw(one) == (True, None)
    assert groups._groups == {}


def test_cleared_only_what_is_in_hand_stays_known() -> None:
    groups, (one, _two, _three) = filled(1, 2, 3)
    groups.arrive(member(9, "other"))
    groups.choose(one, consumer := someone())
    groups.hand(one, consumer)
    assert sequences(groups.clear()) == [3]  # 2 is a token: it stands in the lanes
    assert (len(groups), list(groups._groups)) == (0, ["g"])
    groups.settle(one)
    assert groups._groups == {}


def test_a_token_that_comes_finds_the_withdrawn_gone() -> None:
    groups, (one, two, three) = filled(1, 2, 3)
    two.state = State.GONE
    groups.withdraw(two)
    groups.choose(one, consumer := someone())
    assert groups.hand(one, consumer) is three
    assert len(groups) == 0


# In a queue


def test_groups_are_shared_out_and_each_stays_in_one_hand_in_order() -> None:
    wiring, queue = wired()
    for body in ("a1", "b1", "a2", "b2", "c1"):
        send(wiring, body, group=body[0])
    x, y = consume(wiring, queue, "x", prefetch=2), consume(wiring, queue, "y", prefetch=2)
    assert deliver(wiring) == [("x", "a1"), ("x", "a2"), ("y", "b1"), ("y", "b2")]
    # Nobody has room; when y settles b1 it has, and c is free to go to it.
    y.ledger.ack(1)
    assert deliver(wiring) == [("y", "c1")]
    assert x.held == 2


def test_other_groups_flow_past_one_that_is_held_up() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "busy", prefetch=1)
    send(wiring, "a1", "a2", "a3", group="a")
    assert deliver(wiring) == [("busy", "a1")]
    consume(wiring, queue, "free", prefetch=9)
    send(wiring, "b1", group="b")
    send(wiring, "plain")
    assert deliver(wiring) == [("free", "b1"), ("free", "plain")]
    assert ready(queue) == ["a2", "a3"]


def test_a_returned_message_comes_before_the_later_ones_of_its_group() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c", prefetch=2)
    send(wiring, "a1", "a2", "a3", group="a")
    deliver(wiring)
    consumer.ledger.nack(1, 0.0)
    assert deliver(wiring) == [("c", "a1")]
    consumer.ledger.ack(0, up_to=True)
    assert deliver(wiring) == [("c", "a3")]


def test_when_its_consumer_is_lost_a_group_goes_to_another_in_order() -> None:
    wiring, queue = wired()
    lost = consume(wiring, queue, "lost")
    send(wiring, "a1", "a2", group="a")
    deliver(wiring)
    consume(wiring, queue, "other")
    wiring.disconnect(lost.ledger.connection, 1.0)
    assert deliver(wiring) == [("other", "a1"), ("other", "a2")]


def test_a_cancelled_consumer_keeps_its_group_until_it_has_settled() -> None:
    wiring, queue = wired()
    leaving = consume(wiring, queue, "leaving", prefetch=1)
    send(wiring, "a1", "a2", group="a")
    deliver(wiring)
    wiring.cancel(leaving, now=0.0)
    consume(wiring, queue, "other")
    assert deliver(wiring) == []
    leaving.ledger.ack(1)
    assert deliver(wiring) == [("other", "a2")]


def test_a_consumer_that_does_not_acknowledge_never_holds_a_group_up() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "c", acks=False)
    send(wiring, "a1", "a2", "a3", group="a")
    assert deliver(wiring) == [("c", "a1"), ("c", "a2"), ("c", "a3")]
    assert queue.waiting.groups is not None
    assert queue.waiting.groups._groups == {}


def test_nothing_is_pushed_to_somebody_who_only_got_one() -> None:
    wiring, queue = wired()
    send(wiring, "a1", "a2", group="a")
    ledger = open_ledger(wiring)
    queue.get(ledger, 0.0)
    consume(wiring, queue, "c")
    assert deliver(wiring) == []
    ledger.ack(1)
    assert deliver(wiring) == [("c", "a2")]


def test_who_got_one_may_get_more_of_its_group_and_others_may_not() -> None:
    wiring, queue = wired()
    send(wiring, "a1", "a2", group="a")
    ledger = open_ledger(wiring)
    assert queue.get(ledger, 0.0) is not None
    assert queue.get(ledger, 0.0) is not None
    send(wiring, "a3", group="a")
    assert queue.get(open_ledger(wiring), 0.0) is None
    ledger.ack(0, up_to=True)
    assert queue.get(open_ledger(wiring), 0.0) is not None


def test_a_purged_group_is_forgotten_and_starts_anew() -> None:
    wiring, queue = wired()
    send(wiring, "a1", group="a")
    queue.purge()
    consume(wiring, queue, "c")
    send(wiring, "a2", group="a")
    assert deliver(wiring) == [("c", "a2")]
