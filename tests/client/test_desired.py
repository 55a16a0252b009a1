from __future__ import annotations

import pytest

from penstock.client import Binding, Exchange, Queue, Thing
from penstock.client.desired import Desired
from penstock.wire.amqp.methods import (
    ExchangeBind,
    ExchangeDeclare,
    ExchangeDelete,
    ExchangeUnbind,
    Method,
    QueueBind,
    QueueDeclare,
    QueueDelete,
    QueueUnbind,
)

E, F, Q = Exchange("e", "topic", arguments={"a": 1}), Exchange("f", internal=True), Queue("q", exclusive=True)
BINDING, BETWEEN = Binding("e", "q", "k", {"b": 2}), Binding("e", "f", "k", to_exchange=True)


def desired(*things: Thing) -> Desired:
    it = Desired()
    it.add(things)
    return it


def test_bindings_come_after_what_they_join() -> None:
    it = desired(BINDING, Q, BETWEEN, E, F)
    assert it.all() == [E, F, Q, BINDING, BETWEEN]
    assert repr(it) == "<Desired 5 things>"


def test_the_same_name_again_takes_the_place() -> None:
    it = desired(
        E, Exchange("e", "fanout"), BINDING, Binding("e", "q", "k", {"b": 2}), Binding("e", "q", "k")
    )
    assert len(it.all()) == 3
    assert E in it
    assert F not in it


def test_what_is_withdrawn_takes_its_bindings_along() -> None:
    it = desired(E, F, Q, BINDING, BETWEEN)
    it.discard([BETWEEN])
    assert it.all() == [E, F, Q, BINDING]
    it.discard([Q])
    assert it.all() == [E, F]
    it = desired(E, F, Q, BINDING, BETWEEN)
    it.discard([F])
    assert it.all() == [E, Q, BINDING]
    it.discard([Exchange("e")])
    assert it.all() == [Q]


def test_around_a_queue_are_its_bindings_and_their_sources() -> None:
    other = Binding("f", "other")
    it = desired(E, F, Q, BINDING, BETWEEN, Queue("other"), other)
    assert it.around("q") == [E, Q, BINDING]
    assert it.around("unknown") == []


def test_a_queue_without_a_name_is_followed_by_who_it_is() -> None:
    one, two = Queue(exclusive=True), Queue(exclusive=True)
    to_one = Binding("e", one)
    it = desired(one, two, to_one, Binding("e", two))
    assert it.name_of(one) == ""
    it.named(one, "gen-1")
    it.named(two, "gen-2")
    assert (it.name_of(one), it.name_of(two), it.name_of("q")) == ("gen-1", "gen-2", "q")
    assert it.making(to_one) == QueueBind("gen-1", "e")
    assert it.removing(one) == QueueDelete("gen-1")
    assert it.around(one) == [one, to_one]
    assert it.is_exclusive("gen-2")
    it.discard([one])
    assert it.all() == [two, Binding("e", two)]


def test_it_is_known_which_queues_are_exclusive() -> None:
    it = desired(Q, Queue("open"))
    assert it.is_exclusive("q")
    assert not it.is_exclusive("open")


@pytest.mark.parametrize(
    ("thing", "makes", "removes"),
    [
        (E, ExchangeDeclare("e", "topic", durable=True, arguments={"a": 1}), ExchangeDelete("e")),
        (F, ExchangeDeclare("f", "direct", durable=True, internal=True), ExchangeDelete("f")),
        (Q, QueueDeclare("q", durable=True, exclusive=True), QueueDelete("q")),
        (
            Queue("p", durable=False, auto_delete=True, arguments={"x": 1}),
            QueueDeclare("p", auto_delete=True, arguments={"x": 1}),
            QueueDelete("p"),
        ),
        (BINDING, QueueBind("q", "e", "k", arguments={"b": 2}), QueueUnbind("q", "e", "k", {"b": 2})),
        (BETWEEN, ExchangeBind("f", "e", "k"), ExchangeUnbind("f", "e", "k")),
    ],
)
def test_each_thing_has_a_method_that_makes_and_one_that_removes_it(
    thing: Thing, makes: Method, removes: Method
) -> None:
    assert Desired().making(thing) == makes
    assert Desired().removing(thing) == removes
