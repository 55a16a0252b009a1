"""A virtual host: what in it is written down, and registrations as often as they were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.broker.host import PASSAGE
from penstock.errors import UnknownTemplate
from penstock.store import MemoryStore
from penstock.wiring import DefaultRegistration, Template
from tests.broker.support import Bench, bodies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.broker import VirtualHost


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench(MemoryStore())
    yield made
    made.leave()


@pytest.fixture
def host(bench: Bench) -> VirtualHost:
    return bench.host()


def written(bench: Bench) -> set[tuple[str, str]]:
    """Kinds and names in the store, beside the virtual host itself."""
    bench.finish()
    keys = {(kind, key.partition("\0")[2]) for kind, key, _ in bench.store.definitions()}
    return {(kind, name) for kind, name in keys if kind not in {"host", "counter"}}


def test_it_shows_what_it_has(host: VirtualHost) -> None:
    assert repr(host) == "<VirtualHost '/': 6 proxies, 0 queues>"


# Proxies and queues


def test_what_is_persistent_is_written_down(bench: Bench, host: VirtualHost) -> None:
    for _ in range(2):  # the same again is no change
        host.create_proxy("kept", "FANOUT", persistent=True)
        host.create_proxy("lost", "FANOUT")
        host.create_queue("kept", persistent=True, now=0.0)
        host.create_queue("lost", now=0.0)
    assert written(bench) == {("proxy", "kept"), ("queue", "kept")}


def test_a_queue_hears_what_is_sent_to_its_name_unless_it_was_said_otherwise(
    bench: Bench, host: VirtualHost
) -> None:
    usual = host.create_queue("usual", now=0.0)
    other = host.create_queue("other", now=0.0, registration=DefaultRegistration("amq.direct", "x"))
    bench.send("1", to="usual")
    bench.send("2", to="other")
    bench.send("3", to="x", proxy="amq.direct")
    assert (bodies(usual), bodies(other)) == (["1"], ["3"])


def test_a_persistent_queue_has_the_usual_window(host: VirtualHost) -> None:
    host.wiring.templates |= {"kept": Template(persistent=True), "own": Template(persistent=True, window=9)}
    windows = {
        "plain": host.create_queue("plain", now=0.0).template.window,
        "kept": host.create_queue("kept", persistent=True, now=0.0).template.window,
        "by template": host.create_queue("by template", template="kept", now=0.0).template.window,
        "own": host.create_queue("own", template="own", now=0.0).template.window,
        "said": host.create_queue("said", persistent=True, window=7, now=0.0).template.window,
    }
    assert windows == {"plain": None, "kept": 4, "by template": 4, "own": 9, "said": 7}
    with pytest.raises(UnknownTemplate):
        host.create_queue("new", template="x", now=0.0)


def test_a_queue_without_a_name_gets_one(host: VirtualHost) -> None:
    assert host.create_queue(now=0.0).name == "queue-1"


@pytest.mark.parametrize("verb", ["destroyed", "unused", "its consumer left"])
def test_what_goes_is_struck_out_with_its_registrations(bench: Bench, host: VirtualHost, verb: str) -> None:
    queue = host.create_queue("q", persistent=True, unused_in=5.0, dynamic=True, now=bench.clock.now())
    host.create_proxy("news", "FANOUT", persistent=True, dynamic=True)
    host.register(queue, "news", None, b"1")
    assert len(written(bench)) == 3
    if verb == "destroyed":
        host.wiring.destroy_queue(queue)
    elif verb == "unused":
        bench.advance(5.0)
        bench.run(bench.broker._tick)
    else:
        ledger = host.wiring.connect("client").open_ledger()
        host.wiring.cancel(host.wiring.consume(ledger, queue, "c", now=0.0), now=0.0)
    assert (written(bench), host.registrations, host._at) == (set(), {}, {})


def test_another_of_the_same_name_at_once_is_not_taken_for_the_one_that_went(
    bench: Bench, host: VirtualHost
) -> None:
    first = bench.queue()
    host.create_proxy("p", "FANOUT", persistent=True)
    bench.finish()
    host.wiring.destroy_queue(first)
    host.wiring.destroy_proxy("p")
    second = bench.queue()
    host.create_proxy("p", "FANOUT", persistent=True)
    assert second.stored != first.stored
    assert written(bench) == {("queue", "q"), ("proxy", "p")}


# Registrations


def test_a_registration_is_kept_as_often_as_it_was_asked_for(bench: Bench, host: VirtualHost) -> None:
    queue = bench.queue()
    for identity in (b"1", b"2", b"2"):
        host.register(queue, "amq.topic", "a.#", identity)
    assert len(host.wiring.proxy("amq.topic").registrations) == 1
    assert len([kind for kind, _ in written(bench) if kind == "registration"]) == 2
    assert host.unregister(queue, "amq.topic", "a.#", b"1")
    assert not host.unregister(queue, "amq.topic", "a.#", b"1")
    assert len(host.wiring.proxy("amq.topic").registrations) == 1
    assert host.unregister(queue, "amq.topic", "a.#", b"2")
    assert (host.wiring.proxy("amq.topic").registrations, host.registrations, host._at) == ({}, {}, {})
    assert written(bench) == {("queue", "q")}


def test_what_is_not_persistent_at_both_ends_is_not_written(bench: Bench, host: VirtualHost) -> None:
    host.create_proxy("lost", "FANOUT")
    host.create_proxy("kept", "FANOUT", persistent=True)
    for target in (bench.queue("a"), bench.queue("b", persistent=False), host.wiring.proxy("kept")):
        for proxy in ("lost", "amq.fanout"):
            host.register(target, proxy, None, b"")
    registered = {key.split("\0")[2] for kind, key in written(bench) if kind == "registration"}
    assert registered == {"a", "kept"}


def test_a_dynamic_proxy_goes_with_its_last_registration(bench: Bench, host: VirtualHost) -> None:
    host.create_proxy("news", "FANOUT", persistent=True, dynamic=True)
    host.register(bench.queue(), "news", None, b"")
    bench.finish()
    host.unregister(bench.queue(), "news", None, b"")
    assert written(bench) == {("queue", "q")}


# Passages: proxies between a proxy and what is registered through them


def passage(bench: Bench, host: VirtualHost) -> str:
    """A passage from a proxy "p" to a queue "q"."""
    host.create_proxy("p", "FANOUT", persistent=True)
    between = host.create_proxy(f"{PASSAGE}p q", "FANOUT", persistent=True, dynamic=True, internal=True)
    host.register(bench.queue(), between.name, None, b"")
    host.register(between, "p", None, b"")
    return between.name


@pytest.mark.parametrize("verb", ["destroyed", "unregistered", "target destroyed"])
def test_a_passage_goes_with_either_side(bench: Bench, host: VirtualHost, verb: str) -> None:
    name = passage(bench, host)
    bench.finish()
    if verb == "destroyed":
        host.wiring.destroy_proxy("p")
    elif verb == "unregistered":
        host.unregister(host.wiring.proxy(name), "p", None, b"")
    else:
        host.wiring.destroy_queue(bench.queue())
    left = {name for _, name in written(bench)}
    assert (name in left, name in host.wiring.proxies) == (False, False)
    assert (host.registrations, host._at) == ({}, {})


def test_a_passage_stays_while_something_leads_to_it(bench: Bench, host: VirtualHost) -> None:
    name = passage(bench, host)
    host.register(host.wiring.proxy(name), "amq.fanout", None, b"")
    host.wiring.destroy_proxy("p")
    host.clear_away()
    host.end_passage(name)
    assert name in host.wiring.proxies


def test_a_proxy_that_is_no_passage_stays_though_nothing_leads_to_it(bench: Bench, host: VirtualHost) -> None:
    host.create_proxy("p", "FANOUT")
    own = host.create_proxy("own", "FANOUT", dynamic=True, internal=True)
    host.register(bench.queue(), "own", None, b"")
    host.register(own, "p", None, b"")
    host.wiring.destroy_proxy("p")
    host.clear_away()
    assert "own" in host.wiring.proxies


def test_what_is_counted_is_told(host: VirtualHost) -> None:
    assert host.counted("job") == 0
    host.count("job", 7)
    assert host.counted("job") == 7
