"""Each row of the state machine, and what holds whatever happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging.message import Death
from penstock.messaging.redelivery import Abort, Redeliver, RedeliveryPolicy, Wait
from penstock.messaging.redelivery import decide as decide_in
from penstock.messaging.redelivery.decision import COUNT, QUEUE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.messaging.redelivery import Action

POLICY = RedeliveryPolicy(max_attempts=5)


def death(queue: str, reason: str) -> Death:
    return Death(queue=queue, reason=reason, exchange="orb", keys=(queue,), count=1, at=100.0)


def decide(headers: Mapping[str, Any], deaths: Sequence[Death], policy: RedeliveryPolicy = POLICY) -> Action:
    return decide_in(headers, deaths, policy, waiting_room="orb.wait")


REJECTED = death("orb.operation", "rejected")
EXPIRED = death("orb.wait", "expired")


def known(count: Any) -> dict[str, Any]:
    return {QUEUE: "orb.operation", COUNT: count}


@pytest.mark.parametrize(
    ("headers", "deaths", "action"),
    [
        # The first rejection: at once.
        ({}, [REJECTED], Redeliver("orb.operation", 1)),
        # Rejected again: wait, longer each time.
        (known("1"), [REJECTED], Wait("orb.operation", 1, 2.0)),
        (known("2"), [REJECTED], Wait("orb.operation", 2, 3.0)),
        (known(3), [REJECTED], Wait("orb.operation", 3, 4.5)),
        # Waited enough: deliver.
        (known("1"), [EXPIRED], Redeliver("orb.operation", 2)),
        (known("4"), [EXPIRED, REJECTED], Redeliver("orb.operation", 5)),
        # Decided by the newest death, not by an older one.
        (known("1"), [REJECTED, EXPIRED], Wait("orb.operation", 1, 2.0)),
        # As often as it may.
        (known("5"), [REJECTED], Abort("orb.operation", 5, "redelivery aborted after 5 attempts")),
        (known("6"), [EXPIRED], Abort("orb.operation", 6, "redelivery aborted after 6 attempts")),
        # Sent straight to the waiting room, as Orb publishes with a delay.
        ({QUEUE: "orb.operation"}, [EXPIRED], Redeliver("orb.operation", 1)),
        # It expired in its own queue: nobody has waited, and Orb goes by the reason alone.
        (known("2"), [death("orb.operation", "expired")], Redeliver("orb.operation", 3)),
        # A full queue is no time to try at once.
        (known("2"), [death("orb.operation", "maxlen")], Wait("orb.operation", 2, 3.0)),
        (known("2"), [death("orb.operation", "delivery_limit")], Wait("orb.operation", 2, 3.0)),
        # A count that makes no sense is none.
        (known("many"), [REJECTED], Redeliver("orb.operation", 1)),
        (known("-3"), [REJECTED], Redeliver("orb.operation", 1)),
        (known([1]), [REJECTED], Redeliver("orb.operation", 1)),
        # Passed on to another queue by hand, and rejected there: what it counted elsewhere is over.
        (known("5"), [death("orb.anchor", "rejected")], Redeliver("orb.anchor", 1)),
        # Published here by hand: whoever did that may say where it belongs.
        (known("2"), [], Wait("orb.operation", 2, 3.0)),
        ({}, [], Abort("", 0, "redelivery does not know from which queue it came")),
        ({}, [EXPIRED], Abort("", 0, "redelivery does not know from which queue it came")),
    ],
)
def test_what_is_to_be_done(headers: dict[str, Any], deaths: list[Death], action: Action) -> None:
    assert decide(headers, deaths) == action


def test_without_attempts_the_first_rejection_is_the_last() -> None:
    assert decide({}, [REJECTED], RedeliveryPolicy(max_attempts=0)) == Abort(
        "orb.operation", 0, "redelivery aborted after 0 attempts"
    )


@pytest.mark.parametrize("multiplied", [False, True])
def test_both_readings_of_the_seed(multiplied: bool) -> None:  # noqa: FBT001  a column of the table
    policy = RedeliveryPolicy(first_wait_multiplied=multiplied)
    waits = [decide(known(n), [REJECTED], policy) for n in (1, 2)]
    expected = [3.0, 4.5] if multiplied else [2.0, 3.0]
    assert [wait.seconds for wait in waits if isinstance(wait, Wait)] == expected


@given(st.integers(0, 30), st.lists(st.sampled_from(["rejected", "maxlen", "delivery_limit"]), max_size=40))
def test_a_message_that_always_fails_is_delivered_one_time_more_than_attempts_and_then_kept(
    most: int, reasons: list[str]
) -> None:
    policy = RedeliveryPolicy(max_attempts=most)
    headers: dict[str, Any] = {}
    delivered, waited, dies_by = 1, [], iter(reasons)
    while True:
        newest = death("q", next(dies_by, "rejected"))
        action = decide(headers, [newest], policy)
        if isinstance(action, Wait):
            waited.append(action.seconds)
            headers = {QUEUE: action.queue, COUNT: str(action.count)}
            action = decide(headers, [EXPIRED, newest], policy)
            assert isinstance(action, Redeliver)
        if isinstance(action, Abort):
            break
        delivered += 1
        headers = {QUEUE: action.queue, COUNT: str(action.count)}
    assert delivered == 1 + most
    assert waited == [policy.interval(n) for n in range(1, most)]
    assert action.queue == "q"


HEADERS = st.dictionaries(
    st.sampled_from([QUEUE, COUNT, "x"]), st.one_of(st.text(max_size=5), st.integers(-5, 30), st.none())
)
DEATHS = st.lists(
    st.builds(death, st.sampled_from(["a", "b", "orb.wait", ""]), st.sampled_from(["rejected", "expired"])),
    max_size=3,
)


@given(HEADERS, DEATHS)
def test_whatever_arrives_is_delivered_or_waits_or_is_kept(
    headers: dict[str, Any], deaths: list[Death]
) -> None:
    action = decide(headers, deaths)
    if isinstance(action, Abort):
        assert action.reason
    else:
        assert action.queue not in {"", "orb.wait"}
        assert action.count <= POLICY.max_attempts
