"""The catalogue: the verbs that create and destroy, and that nothing has changed after an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import (
    AlreadyDifferent,
    BadConfiguration,
    BadPattern,
    BadSelector,
    Locked,
    StillUsed,
    UnknownProxy,
    UnknownProxyClass,
    UnknownQueue,
    UnknownTemplate,
    WiringError,
)
from penstock.wiring import (
    PROXY_CLASSES,
    DeadLetters,
    DefaultRegistration,
    Defaults,
    MemoryBacklog,
    Message,
    Target,
    Template,
    Wiring,
)
from penstock.wiring.proxies import Fanout
from tests.wiring.support import (
    NAMES,
    add_queue,
    consume,
    deliver,
    photograph,
    ready,
    refused,
    send,
    wired,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Everywhere(Fanout):
    class_name = "EVERYWHERE"


class Place(Target):
    detour = False


def furnished() -> Wiring:
    """A wiring with something of everything in it, to be left alone by whatever fails."""
    wiring, queue = wired(max_length=5)
    for name, class_name in (("tests", "PROP-TEST"), ("topics", "DEST-WILD"), ("selectors", "SELECTOR")):
        wiring.create_proxy(name, class_name, alternate=NAMES)
        wiring.register(wiring.proxy(name), NAMES, name)
    wiring.create_proxy("bad line", "LOSSY", drop=0.5, seed=1, dynamic=True)
    wiring.stack(queue, "tests", {"size": 1})
    wiring.register(
        wiring.create_queue("private", private_to=wiring.connect("owner"), now=0.0), "topics", "a.#"
    )
    wiring.templates["small"] = Template(max_length=1, registration=DefaultRegistration("not yet"))
    wiring.templates["odd"] = Template(registration=DefaultRegistration("topics", 7))
    consumer = consume(wiring, queue, prefetch=1)
    wiring.publish(NAMES, [Message(b"%d" % number, "q", {"size": 1}) for number in range(3)], 0.0)
    deliver(wiring)
    consumer.ledger.nack(1, 0.0, delay_in=9.0)
    return wiring


# Finding


@pytest.mark.parametrize(
    ("find", "error", "complaint"),
    [
        (
            lambda w: w.proxy("nmaes"),
            UnknownProxy,
            "no proxy 'nmaes': create it first .or did you mean 'names'",
        ),
        (lambda w: w.proxy("xyz"), UnknownProxy, "there is no proxy 'xyz': create it first$"),
        (
            lambda w: w.queue("qq"),
            UnknownQueue,
            "there is no queue 'qq': create it first .or did you mean 'q'",
        ),
        (lambda w: w.queue("q", "news"), UnknownQueue, "no queue 'q' in namespace 'news': create it first$"),
        (lambda w: w.template("smal"), UnknownTemplate, "no queue template 'smal': configure it .*'small'"),
        (lambda w: w.queue("private"), Locked, "queue 'private' is private to another connection"),
        (lambda w: w.queue("private", connection=w.connect("x")), Locked, "private to another connection"),
    ],
)
def test_what_is_not_there_is_named_with_what_may_have_been_meant(
    find: Callable[[Wiring], object], error: type[WiringError], complaint: str
) -> None:
    wiring = furnished()
    with refused(wiring, error, complaint):
        find(wiring)


def test_among_very_many_names_the_search_is_given_up() -> None:
    wiring = Wiring()
    for number in range(300):
        wiring.create_queue(f"{number} queue", now=0.0)
    assert len(wiring.queues) == 300
    with pytest.raises(UnknownQueue, match="did you mean '0 queue'"):
        wiring.queue("0 queeu")
    with pytest.raises(UnknownQueue, match="there is no queue '299 queeu'"):
        wiring.queue("299 queeu")


def test_things_are_found_by_name() -> None:
    wiring = furnished()
    queue = wiring.queue("private", connection=wiring.queues["", "private"].owner)
    assert (queue.name, wiring.proxy(NAMES).name, wiring.template("")) == ("private", NAMES, Template())


# Bad input

BAD: dict[str, tuple[Callable[[Wiring], object], type[WiringError], str]] = {
    "unknown class": (
        lambda w: w.create_proxy("new", "DEST-NAM"),
        UnknownProxyClass,
        "did you mean 'DEST-NAME'",
    ),
    "unknown property": (
        lambda w: w.create_proxy("new", "FANOUT", size=1),
        BadConfiguration,
        "no property size",
    ),
    "impossible property": (
        lambda w: w.create_proxy("new", "LOSSY", drop=2),
        BadConfiguration,
        "no probability",
    ),
    "another class": (
        lambda w: w.create_proxy(NAMES, "FANOUT"),
        AlreadyDifferent,
        "proxy 'names' exists: its class is 'DEST-NAME', not 'FANOUT'",
    ),
    "another property": (
        lambda w: w.create_proxy("bad line", "LOSSY", drop=0.25, seed=1),
        AlreadyDifferent,
        "proxy 'bad line' exists: dynamic is True, not False; drop is 0.5, not 0.25",
    ),
    "destroy unknown proxy": (lambda w: w.destroy_proxy("x"), UnknownProxy, "there is no proxy 'x'"),
    "destroy used proxy": (
        lambda w: w.destroy_proxy("topics", if_unused=True),
        StillUsed,
        "proxy 'topics' has 1 registrations: unregister them first",
    ),
    "unknown template": (
        lambda w: w.create_queue("new", template="x", now=0.0),
        UnknownTemplate,
        "template 'x'",
    ),
    "unknown queue property": (
        lambda w: w.create_queue("new", size=1, now=0.0),
        BadConfiguration,
        "no property size",
    ),
    "default proxy unknown": (
        lambda w: w.create_queue("new", template="small", now=0.0),
        UnknownProxy,
        "there is no proxy 'not yet'",
    ),
    "default pattern bad": (
        lambda w: w.create_queue("new", template="odd", now=0.0),
        BadPattern,
        "cannot register 7",
    ),
    "private queue, bad default": (
        lambda w: w.create_queue(template="odd", private_to=w.queues["", "private"].owner, now=0.0),
        BadPattern,
        "cannot register 7",
    ),
    "another queue": (
        lambda w: w.create_queue("q", max_length=6, dynamic=True, now=0.0),
        AlreadyDifferent,
        "queue 'q' exists: dynamic is False, not True; max_length is 5, not 6",
    ),
    "private now": (
        lambda w: w.create_queue("q", max_length=5, private_to=w.connect("x"), now=0.0),
        AlreadyDifferent,
        "queue 'q' exists: it is shared, not private",
    ),
    "private to another": (
        lambda w: w.create_queue("private", private_to=w.connect("x"), now=0.0),
        Locked,
        "private to",
    ),
    "queue in use": (
        lambda w: w.destroy_queue(w.queue("q"), if_unused=True),
        StillUsed,
        "queue 'q' has 1 consumers: cancel them first",
    ),
    "queue not empty": (
        lambda w: w.destroy_queue(w.queue("q"), if_empty=True),
        StillUsed,
        "queue 'q' has 2 messages: purge it first",
    ),
    "register with unknown": (lambda w: w.register(w.queue("q"), "nmaes", "x"), UnknownProxy, "mean 'names'"),
    "bad name": (lambda w: w.register(w.queue("q"), NAMES, 7), BadPattern, "cannot register 7"),
    "bad pattern": (lambda w: w.register(w.queue("q"), "topics", None), BadPattern, "cannot register None"),
    "bad test": (lambda w: w.register(w.queue("q"), "tests", "size"), BadPattern, "cannot register 'size'"),
    "bad selector": (lambda w: w.register(w.queue("q"), "selectors", "size = = 1"), BadSelector, "column 8"),
    "unregister from unknown": (lambda w: w.unregister(w.queue("q"), "x"), UnknownProxy, "no proxy 'x'"),
    "unregister bad pattern": (
        lambda w: w.unregister(w.queue("q"), NAMES, 7),
        BadPattern,
        "cannot register 7",
    ),
    "stack unknown": (lambda w: w.stack(w.queue("q"), "x"), UnknownProxy, "no proxy 'x'"),
    "stack bad pattern": (lambda w: w.stack(w.queue("q"), "tests", 7), BadPattern, "cannot register 7"),
}


@pytest.mark.parametrize("case", BAD)
def test_after_bad_input_the_wiring_is_unchanged(case: str) -> None:
    attempt, error, complaint = BAD[case]
    wiring = furnished()
    with refused(wiring, error, complaint):
        attempt(wiring)


def test_a_photograph_shows_a_change() -> None:
    # Or else the test above would show nothing.
    wiring = furnished()
    before = photograph(wiring)
    wiring.register(wiring.queue("q"), NAMES, "more")
    assert photograph(wiring) != before


# Proxies


def test_a_proxy_is_created_by_name_and_class() -> None:
    wiring = Wiring()
    proxy = wiring.create_proxy("line", "LOSSY", persistent=True, internal=True, alternate="x", drop=0.25)
    assert wiring.proxy("line") is proxy
    assert (proxy.class_name, proxy.persistent, proxy.internal, proxy.alternate) == ("LOSSY", True, True, "x")
    assert proxy.properties["drop"] == 0.25


def test_creating_the_same_again_the_same_way_is_fine() -> None:
    wiring = furnished()
    before = photograph(wiring)
    again = wiring.create_proxy("bad line", "LOSSY", drop=0.5, seed=1, dynamic=True)
    assert again is wiring.proxy("bad line")
    assert photograph(wiring) == before


def test_a_class_can_be_added_from_outside() -> None:
    wiring = Wiring(proxy_classes=PROXY_CLASSES | {"EVERYWHERE": Everywhere})
    wiring.create_proxy("all", "EVERYWHERE")
    queue = wiring.create_queue("q", now=0.0)
    wiring.register(queue, "all")
    send(wiring, "x", proxy="all")
    assert ready(queue) == ["x"]


def test_a_destroyed_proxy_leaves_no_trace() -> None:
    wiring = furnished()
    queue = wiring.queue("q")
    wiring.register(wiring.proxy(NAMES), "tests", {"a": 1})
    wiring.destroy_proxy(NAMES)
    assert NAMES not in wiring.proxies
    assert (queue.registrations, wiring.proxy("tests").registered_with) == ({}, {})
    assert wiring.proxy("tests").registrations == {}
    assert wiring.proxy("tests").detours == 0


def test_a_destroyed_proxy_is_taken_out_of_stacks() -> None:
    wiring = furnished()
    queue = wiring.queue("q")
    assert wiring.proxy(NAMES).detours == 4
    wiring.destroy_proxy("tests")
    assert (queue.stack, queue.detour) == ((), False)
    assert wiring.proxy(NAMES).detours == 2  # the other two proxies


def test_an_unused_proxy_may_be_destroyed_if_unused() -> None:
    wiring = furnished()
    wiring.destroy_proxy("bad line", if_unused=True)
    assert "bad line" not in wiring.proxies


def test_a_dynamic_proxy_goes_with_its_last_registration() -> None:
    wiring, queue = wired()
    wiring.create_proxy("news", "FANOUT", dynamic=True)
    other = add_queue(wiring, "other")
    for each in (queue, other):
        wiring.register(each, "news")
    wiring.unregister(queue, "news")
    assert "news" in wiring.proxies
    wiring.destroy_queue(other)
    assert "news" not in wiring.proxies


def test_dynamic_wiring_is_torn_down_along_the_whole_chain() -> None:
    wiring = Wiring()
    for name in ("first", "second", "third"):
        wiring.create_proxy(name, "FANOUT", dynamic=True)
    wiring.register(wiring.proxy("second"), "first")
    wiring.register(wiring.proxy("third"), "second")
    connection = wiring.connect("client")
    wiring.register(wiring.create_queue(private_to=connection, now=0.0), "third")
    wiring.disconnect(connection, 0.0)
    assert (wiring.proxies, wiring.queues) == ({}, {})


@pytest.mark.parametrize("first", ["a", "b"])
def test_dynamic_proxies_in_a_circle_can_be_destroyed(first: str) -> None:
    wiring = Wiring()
    for name in "ab":
        wiring.create_proxy(name, "FANOUT", dynamic=True)
    wiring.register(wiring.proxy("a"), "b")
    wiring.register(wiring.proxy("b"), "a")
    wiring.destroy_proxy(first)
    assert wiring.proxies == {}


def test_a_proxy_that_is_registered_with_itself_can_be_destroyed() -> None:
    wiring = Wiring()
    wiring.register(wiring.create_proxy("a", "FANOUT", dynamic=True), "a")
    wiring.destroy_proxy("a")
    assert wiring.proxies == {}


# Queues


def test_the_same_name_in_two_namespaces_is_two_queues() -> None:
    wiring = Wiring()
    plain, news = wiring.create_queue("q", now=0.0), wiring.create_queue("q", namespace="news", now=0.0)
    assert plain is not news
    assert (wiring.queue("q"), wiring.queue("q", "news")) == (plain, news)
    wiring.destroy_queue(plain)
    assert list(wiring.queues) == [("news", "q")]


def test_the_server_assigns_unique_names() -> None:
    wiring = Wiring()
    wiring.create_queue("queue-2", now=0.0)
    names = [wiring.create_queue(now=0.0).name for _ in range(3)]
    assert names == ["queue-1", "queue-3", "queue-4"]
    assert wiring.create_queue(namespace="news", now=0.0).address == "news/queue-5"


def test_the_names_may_come_from_elsewhere() -> None:
    wiring = Wiring(names=iter(["amq.gen-a", "amq.gen-b"]))
    assert [wiring.create_queue(now=0.0).name for _ in range(2)] == ["amq.gen-a", "amq.gen-b"]


def test_a_queue_is_made_from_a_template_with_changes_of_its_own() -> None:
    wiring = Wiring(Defaults({"small": Template(max_length=3, dynamic=True)}))
    assert wiring.create_queue("a", template="small", now=0.0).template == wiring.templates["small"]
    changed = wiring.create_queue("b", template="small", max_length=5, now=0.0)
    assert changed.template == Template(max_length=5, dynamic=True)
    assert wiring.create_queue("c", now=0.0).template == Template()


@pytest.mark.parametrize(("pattern", "sent"), [(None, "mine"), ("news.*", "news.today")])
def test_a_template_registers_its_queues_by_default(pattern: str | None, sent: str) -> None:
    wiring, _ = wired()
    wiring.create_proxy("topics", "DEST-WILD")
    default = DefaultRegistration("topics") if pattern is None else DefaultRegistration("topics", pattern)
    queue = wiring.create_queue("mine", registration=default, now=0.0)
    send(wiring, "x", to=sent, proxy="topics")
    assert ready(queue) == ["x"]


def test_to_create_a_queue_again_the_same_way_gives_the_same_queue() -> None:
    wiring, queue = wired(max_length=5, dead_letters=DeadLetters("dead"))
    owner = wiring.connect("owner")
    private = wiring.create_queue("mine", private_to=owner, now=0.0)
    send(wiring, "x")
    before = photograph(wiring)
    assert wiring.create_queue("q", max_length=5, dead_letters=DeadLetters("dead"), now=0.0) is queue
    assert wiring.create_queue("mine", private_to=owner, now=0.0) is private
    assert photograph(wiring) == before


def test_what_a_front_remarks_on_its_queues_must_agree_too() -> None:
    wiring = Wiring()
    wiring.create_queue("q", remarks={"x-mine": 1}, now=0.0)
    with refused(wiring, AlreadyDifferent, "remarks is {'x-mine': 1}, not {'x-mine': 2}"):
        wiring.create_queue("q", remarks={"x-mine": 2}, now=0.0)


def test_every_queue_has_a_backlog_of_its_own() -> None:
    made: dict[str, MemoryBacklog] = {}

    def make(name: str, _template: Template) -> MemoryBacklog:
        made[name] = MemoryBacklog()
        return made[name]

    wiring = Wiring(backlog=make)
    wiring.create_proxy(NAMES, "DEST-NAME")
    for name in "ab":
        add_queue(wiring, name, window=1)
    send(wiring, "1", "2", "3", to="a")
    assert {name: len(backlog) for name, backlog in made.items()} == {"a": 2, "b": 0}


def test_destroy_tells_how_many_were_ready_and_cancels_the_consumers() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, prefetch=1)
    messages = send(wiring, "1", "2", "3")
    deliver(wiring)
    assert wiring.destroy_queue(queue) == 2
    assert (wiring.queues, wiring.take_cancelled()) == ({}, [consumer])
    assert (consumer.cancelled, consumer.ledger.consumers) == (True, {})
    assert [message.references for message in messages] == [1, 0, 0]  # one is in hand
    assert wiring.destroy_queue(queue) == 0


def test_destroy_leaves_no_trace_in_proxies() -> None:
    wiring, queue = wired()
    wiring.create_proxy("topics", "DEST-WILD")
    for pattern in ("a.*", "b.#"):
        wiring.register(queue, "topics", pattern)
    wiring.stack(queue, "topics", "#")
    wiring.destroy_queue(queue)
    assert [proxy.registrations for proxy in wiring.proxies.values()] == [{}, {}]
    assert [proxy.detours for proxy in wiring.proxies.values()] == [0, 0]


def test_an_empty_and_unused_queue_may_be_destroyed_if_it_is_so() -> None:
    wiring, queue = wired()
    assert wiring.destroy_queue(queue, if_unused=True, if_empty=True) == 0
    assert queue.destroyed


def test_queues_that_come_and_go_leave_no_deadlines_behind() -> None:
    wiring = Wiring()
    for _ in range(500):
        wiring.destroy_queue(wiring.create_queue("q", unused_in=1e6, now=0.0))
    assert len(wiring._agenda.deadlines) == 0
    assert len(wiring._agenda.deadlines._heap) <= 65


def test_to_create_a_queue_is_to_use_it() -> None:
    wiring = Wiring()
    queue = wiring.create_queue("q", unused_in=5.0, now=100.0)
    assert (queue.unused_at, wiring.tick(100.0)) == (105.0, 105.0)
    wiring.create_queue("q", unused_in=5.0, now=103.0)
    assert queue.unused_at == 108.0


def test_a_private_queue_is_its_connections_until_it_is_destroyed() -> None:
    wiring = Wiring()
    owner = wiring.connect("owner")
    queue = wiring.create_queue(private_to=owner, now=0.0)
    assert list(owner.private) == [queue]
    wiring.destroy_queue(queue)
    assert owner.private == {}


# Registrations


def test_registrations_accumulate() -> None:
    wiring, queue = wired()
    for pattern in "XYZ":
        wiring.register(queue, NAMES, pattern)
        send(wiring, pattern, to=pattern)
    send(wiring, "W", to="W")
    assert ready(queue) == ["X", "Y", "Z"]
    assert len(queue.registrations) == 4


def test_identical_registrations_are_one_with_a_list_of_queues() -> None:
    wiring, queue = wired()
    other = wiring.create_queue("other", now=0.0)
    one = wiring.register(other, NAMES, "q")
    assert one is wiring.register(queue, NAMES, "q") is wiring.proxy(NAMES).registrations["q"]
    assert list(one.targets) == [queue, other]
    assert list(other.registrations) == [one]


def test_to_unregister_tells_whether_there_was_one() -> None:
    wiring, queue = wired()
    other = wiring.create_queue("other", now=0.0)
    assert not wiring.unregister(queue, NAMES, "nothing of that kind")
    assert not wiring.unregister(other, NAMES, "q")
    assert wiring.unregister(queue, NAMES, "q")
    assert not wiring.unregister(queue, NAMES, "q")
    assert (queue.registrations, wiring.proxy(NAMES).registrations) == ({}, {})


def test_a_queue_that_unregisters_gets_no_more() -> None:
    wiring, queue = wired()
    send(wiring, "1")
    wiring.unregister(queue, NAMES, "q")
    send(wiring, "2")
    assert ready(queue) == ["1"]


def test_a_target_from_outside_may_register_too() -> None:
    wiring, _ = wired()
    place = Place()
    registration = wiring.register(place, NAMES, "there")
    assert list(registration.targets) == [place]
    assert wiring.unregister(place, NAMES, "there")


def test_stacking_makes_a_detour_of_every_registration_before_and_after() -> None:
    wiring, queue = wired()
    wiring.create_proxy("all", "FANOUT")
    wiring.stack(queue, "all")
    assert wiring.proxy(NAMES).detours == 1
    wiring.register(queue, NAMES, "more")
    wiring.stack(queue, "all")
    assert (wiring.proxy(NAMES).detours, len(queue.stack)) == (2, 2)
    wiring.unregister(queue, NAMES, "more")
    assert wiring.proxy(NAMES).detours == 1


# Stacks


def test_a_proxy_in_a_stack_is_not_unused() -> None:
    wiring, queue = wired()
    wiring.create_proxy("tests", "PROP-TEST")
    wiring.stack(queue, "tests", {"size": 1})
    wiring.stack(queue, "tests", {"size": 2})
    with refused(wiring, StillUsed, match="proxy 'tests' stands in 2 stacks"):
        wiring.destroy_proxy("tests", if_unused=True)
    wiring.destroy_queue(queue)
    wiring.destroy_proxy("tests", if_unused=True)
    assert "tests" not in wiring.proxies


def test_a_dynamic_proxy_goes_with_its_last_stack_or_registration() -> None:
    wiring, queue = wired()
    wiring.create_proxy("tests", "PROP-TEST", dynamic=True)
    wiring.register(queue, "tests", {"size": 1})
    wiring.stack(queue, "tests", {"size": 1})
    wiring.unregister(queue, "tests", {"size": 1})
    assert "tests" in wiring.proxies
    wiring.destroy_queue(queue)
    assert "tests" not in wiring.proxies
    assert len(wiring.take_destroyed()) == 2


# News


def test_nobody_gathers_news_that_nobody_hears() -> None:
    wiring = Wiring()
    consume(wiring, wiring.create_queue("q", now=0.0))
    wiring.destroy_queue(wiring.queue("q"))
    wiring.create_proxy("p", "FANOUT")
    wiring.destroy_proxy("p")
    assert (wiring.take_cancelled(), wiring.take_destroyed()) == ([], [])
