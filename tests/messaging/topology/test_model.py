from __future__ import annotations

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import TopologyError
from penstock.messaging.topology import Publication, Subscription, Topology

ONE = Topology(
    exchanges=(Exchange("x", "topic"),),
    queues=(Queue("q"),),
    bindings=(Binding("x", "q", "a"),),
    publications=(Publication(name="out", exchange="x", key="a"),),
    subscriptions=(Subscription(name="in", queue="q"),),
)


def test_things_come_in_an_order_they_can_be_declared_in() -> None:
    assert [type(thing) for thing in ONE.things()] == [Exchange, Queue, Binding]


def test_what_two_topologies_have_in_common_stands_once() -> None:
    other = Topology(queues=(Queue("q"), Queue("r")), bindings=(Binding("x", "q", "a"), Binding("x", "r")))
    both = ONE + other
    assert [queue.name for queue in both.queues] == ["q", "r"]
    assert both.bindings == (Binding("x", "q", "a"), Binding("x", "r"))
    assert both.exchanges == ONE.exchanges


@pytest.mark.parametrize(
    "other",
    [
        Topology(queues=(Queue("q", arguments={"x-max-length": 1}),)),
        Topology(exchanges=(Exchange("x", "fanout"),)),
        Topology(subscriptions=(Subscription(name="in", queue="r"),)),
        Topology(publications=(Publication(name="out", exchange="y"),)),
    ],
)
def test_what_they_see_differently_is_refused(other: Topology) -> None:
    with pytest.raises(TopologyError, match=r"is declared twice, as .* and as "):
        ONE + other


def test_names_of_the_application_s_own_are_found() -> None:
    assert ONE.publication("out").key == "a"
    assert ONE.subscription("in").queue == "q"


def test_names_it_does_not_have_are_refused_with_those_it_has() -> None:
    with pytest.raises(TopologyError, match="there is no publication 'nowhere'; there are: out"):
        ONE.publication("nowhere")
    with pytest.raises(TopologyError, match="there is no subscription 'in'; there are: none"):
        Topology().subscription("in")
