from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.topology import Topology
from penstock.messaging.topology.live import Live, LiveQueue
from penstock.messaging.topology.plan import Action, Plan, differences, make_plan

X, Q, B = (
    Exchange("app", "topic"),
    Queue("app.q", arguments={"x-max-length": 5}),
    Binding("app", "app.q", "a"),
)
WANTED = Topology(exchanges=(X,), queues=(Q,), bindings=(B,))


def there(*queues: LiveQueue, exchanges: Any = (X,), bindings: Any = (B,)) -> Live:
    return Live(
        queues={queue.name: queue for queue in queues},
        exchanges={exchange.name: exchange for exchange in exchanges},
        bindings=bindings,
    )


def live(queue: Queue, messages: int = 0, consumers: int = 0) -> LiveQueue:
    return LiveQueue(name=queue.name, declared=queue, messages=messages, consumers=consumers)


def told(plan: Plan) -> list[str]:
    return [str(step) for step in plan.steps]


def test_an_empty_broker_gets_everything_in_order() -> None:
    plan = make_plan(WANTED, there(exchanges=(), bindings=()))
    assert told(plan) == [
        "+ topic exchange app",
        "+ queue app.q (x-max-length=5)",
        "+ binding app[a] -> app.q",
    ]
    assert not plan.is_in_sync
    assert plan.changes == list(plan.steps)


def test_a_broker_that_has_it_all_is_left_alone() -> None:
    plan = make_plan(WANTED, there(live(Q, messages=7, consumers=2)), namespace="app")
    assert plan == Plan()
    assert plan.is_in_sync


def test_a_queue_that_is_different_is_a_conflict_and_says_why() -> None:
    other = replace(Q, arguments={"x-max-length": 6, "x-expires": 9})
    plan = make_plan(WANTED, there(live(other, messages=1, consumers=2)), recreate=True)
    (step,) = plan.conflicts
    assert step.why == (
        "x-expires is 9 there and not set here; x-max-length is 6 there and 5 here. It has 1 message and"
        " 2 consumers: stop its consumers, empty it, and apply again with --recreate"
    )
    assert not plan.is_in_sync
    assert not plan.changes


def test_one_that_is_empty_can_be_made_anew() -> None:
    empty = there(live(replace(Q, durable=False)))
    assert make_plan(WANTED, empty).conflicts[0].why.endswith("It is empty: --recreate makes it anew")
    plan = make_plan(WANTED, empty, recreate=True)
    assert told(plan) == ["± queue app.q (x-max-length=5): durable is False there and True here"]
    assert plan.changes


@pytest.mark.parametrize(("messages", "consumers"), [(1, 0), (0, 1)])
def test_one_that_is_not_idle_is_never_made_anew(messages: int, consumers: int) -> None:
    busy = there(live(replace(Q, durable=False), messages, consumers))
    assert [step.action for step in make_plan(WANTED, busy, recreate=True).steps] == [Action.CONFLICT]


def test_an_exchange_that_is_different_is_a_conflict() -> None:
    (step,) = make_plan(WANTED, there(live(Q), exchanges=[Exchange("app", "fanout")])).conflicts
    assert step.why.startswith("type is 'fanout' there and 'topic' here. Delete it when nobody publishes")


def test_built_in_exchanges_are_there() -> None:
    wanted = Topology(exchanges=(Exchange("amq.topic", "topic"),))
    assert make_plan(wanted, there()).is_in_sync


# What nothing declares


def test_an_empty_queue_with_our_name_goes() -> None:
    plan = make_plan(WANTED, there(live(Q), live(Queue("app.old"))), namespace="app")
    assert told(plan) == ["- queue app.old: nothing declares it, and it is empty"]


@pytest.mark.parametrize(
    ("messages", "consumers", "has"),
    [(3, 0, "3 messages"), (0, 1, "1 consumer"), (1, 2, "1 message and 2 consumers")],
)
def test_one_that_is_not_idle_stays_and_is_told(messages: int, consumers: int, has: str) -> None:
    plan = make_plan(WANTED, there(live(Q), live(Queue("app.old"), messages, consumers)), namespace="app")
    assert told(plan) == [f"? queue app.old: nothing declares it, and it has {has}: left alone"]
    assert plan.is_in_sync


@pytest.mark.parametrize(
    ("name", "namespace"),
    [
        ("other.q", "app"),
        ("apple", "app"),
        ("app", "app"),
        ("app.old", ""),
        (".old", ""),
        ("penstock.delay-3", "penstock"),
    ],
)
def test_others_queues_are_nobody_s_business(name: str, namespace: str) -> None:
    assert make_plan(WANTED, there(live(Q), live(Queue(name))), namespace=namespace) == Plan()


def test_an_exchange_with_our_name_is_told_of() -> None:
    ours, old, theirs = Exchange("app.x"), Exchange("app.old"), Exchange("theirs")
    wanted = WANTED + Topology(exchanges=(ours,))
    plan = make_plan(wanted, there(live(Q), exchanges=(X, ours, old, theirs)), namespace="app")
    assert told(plan) == ["? direct exchange app.old: nothing declares it: left alone"]


def test_bindings_between_our_own_go() -> None:
    stale = Binding("app", "app.q", "b"), Binding("app", "app", "x", {"y": 1}, to_exchange=True)
    plan = make_plan(WANTED, there(live(Q), bindings=(B, *stale)))
    assert told(plan) == [
        "- binding app[b] -> app.q: nothing declares it",
        "- binding app[x] -> exchange app (y=1): nothing declares it",
    ]


def test_bindings_of_others_exchanges_are_told_of_but_for_the_ladder_s() -> None:
    others = Binding("theirs", "app.q", "b"), Binding("penstock.delay-delivery", "app.q", "#.q")
    elsewhere = Binding("app", "theirs.q", "a")
    plan = make_plan(WANTED, there(live(Q), bindings=(B, *others, elsewhere)))
    assert told(plan) == [
        "? binding theirs[b] -> app.q: nothing declares it, and its exchange is somebody else's"
    ]


# What cannot be seen


def test_what_is_not_seen_is_not_judged() -> None:
    seen = Live(queues={"app.q": LiveQueue(name="app.q", messages=1)}, unseen="nothing but queues")
    plan = make_plan(WANTED, seen, namespace="app")
    assert plan == Plan(unseen="nothing but queues")
    missing = make_plan(WANTED, replace(seen, queues={}))
    assert told(missing) == ["+ queue app.q (x-max-length=5)"]


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (Queue("q", arguments={"x-queue-type": "classic"}), Queue("q"), []),
        (
            Queue("q", arguments={"x-queue-type": "quorum"}),
            Queue("q"),
            ["x-queue-type is 'quorum' there and 'classic' here"],
        ),
        (Queue("q", arguments={"a": 1}), Queue("q", arguments={"a": True}), ["a is 1 there and True here"]),
        (
            Exchange("e", internal=True),
            Exchange("e", auto_delete=True),
            ["auto_delete is False there and True here", "internal is True there and False here"],
        ),
    ],
)
def test_differences(mine: Any, theirs: Any, expected: list[str]) -> None:
    assert differences(mine, theirs) == expected
