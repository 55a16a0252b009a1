"""The router: through proxies, proxies behind proxies, alternates and stacks, to each queue once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from penstock.wiring import Message, Terms, Wiring
from penstock.wiring.router import Router, blocking_stage

CLASSES = {"names": "DEST-NAME", "topics": "DEST-WILD", "all": "FANOUT", "tests": "PROP-TEST"}


def laid_out(*queues: str, **alternates: str) -> Wiring:
    """A wiring with one proxy of each of four classes."""
    wiring = Wiring()
    for name, class_name in CLASSES.items():
        wiring.create_proxy(name, class_name, alternate=alternates.get(name))
    for queue in queues:
        wiring.create_queue(queue, now=0.0)
    return wiring


def reached(wiring: Wiring, proxy: str, destination: str = "", *also: str, **properties: Any) -> list[str]:
    message = Message(b"", destination, properties, Terms(also=also))
    return [queue.name for queue in Router(wiring.proxies).route(wiring.proxy(proxy), message).queues]


def lost(wiring: Wiring, proxy: str, destination: str = "") -> bool:
    return Router(wiring.proxies).route(wiring.proxy(proxy), Message(b"", destination)).lost


def add_lossy(wiring: Wiring, drop: float, **properties: Any) -> None:
    wiring.create_proxy("lossy", "LOSSY", drop=drop, **properties)


# Straight


def test_a_message_reaches_those_who_asked_for_it() -> None:
    wiring = laid_out("a", "b", "c")
    for name in "ab":
        wiring.register(wiring.queue(name), "names", "here")
    wiring.register(wiring.queue("c"), "names", "there")
    assert reached(wiring, "names", "here") == ["a", "b"]
    assert reached(wiring, "names", "nowhere") == []


def test_a_queue_that_asked_many_times_is_reached_once() -> None:
    wiring = laid_out("a")
    for pattern in ("news.#", "#.sport", "news.sport", "news.*"):
        wiring.register(wiring.queue("a"), "topics", pattern)
    assert reached(wiring, "topics", "news.sport") == ["a"]


def test_several_destinations_reach_each_queue_once() -> None:
    wiring = laid_out("a", "b", "c")
    for name in "abc":
        wiring.register(wiring.queue(name), "names", name)
    wiring.register(wiring.queue("a"), "names", "b")
    assert sorted(reached(wiring, "names", "a", "b")) == ["a", "b"]
    assert reached(wiring, "names", "x", "c") == ["c"]


# Proxies with proxies


def test_proxies_register_with_proxies() -> None:
    wiring = laid_out("german", "rest")
    wiring.register(wiring.proxy("tests"), "topics", "news.#")
    wiring.register(wiring.queue("german"), "tests", {"language": "de"})
    wiring.register(wiring.queue("rest"), "topics", "#")
    assert sorted(reached(wiring, "topics", "news.sport", language="de")) == ["german", "rest"]
    assert reached(wiring, "topics", "news.sport", language="fr") == ["rest"]
    assert reached(wiring, "topics", "sport", language="de") == ["rest"]


def test_a_queue_behind_two_proxies_is_reached_once() -> None:
    wiring = laid_out("q")
    for proxy in ("names", "topics"):
        wiring.register(wiring.proxy(proxy), "all")
        wiring.register(wiring.queue("q"), proxy, "x")
    wiring.register(wiring.queue("q"), "all")
    assert reached(wiring, "all", "x") == ["q"]


@pytest.mark.parametrize("way", [["all", "all"], ["all", "names", "all"], ["all", "names", "topics", "all"]])
def test_cycles_are_harmless(way: list[str]) -> None:
    wiring = laid_out("q")
    for upper, lower in pairwise(way):
        wiring.register(wiring.proxy(lower), upper, "x")
    wiring.register(wiring.queue("q"), way[-2], "x")
    assert reached(wiring, "all", "x") == ["q"]


# Alternates


def test_what_a_proxy_cannot_route_goes_to_its_alternate() -> None:
    wiring = laid_out("asked", "rest", names="all")
    wiring.register(wiring.queue("asked"), "names", "x")
    wiring.register(wiring.queue("rest"), "all")
    assert reached(wiring, "names", "x") == ["asked"]
    assert reached(wiring, "names", "y") == ["rest"]


def test_alternates_have_alternates_and_may_run_in_circles() -> None:
    wiring = laid_out("last", names="topics", topics="all", all="names")
    assert reached(wiring, "names", "x") == []
    wiring.register(wiring.queue("last"), "all")
    assert reached(wiring, "names", "x") == ["last"]


def test_an_alternate_that_does_not_exist_is_no_way() -> None:
    assert reached(laid_out(names="not yet"), "names", "x") == []


def test_a_proxy_behind_another_has_its_own_alternate() -> None:
    # RabbitMQ: the alternate of each exchange on the way counts.
    wiring = laid_out("rest", names="all")
    wiring.register(wiring.proxy("names"), "topics", "#")
    wiring.register(wiring.queue("rest"), "all")
    assert reached(wiring, "topics", "x") == ["rest"]


# Stacks


def test_the_seeds_stack_of_names_property_and_lossy() -> None:
    # Given: dest-name (X, Y, Z) → prop-test (ABC) → lossy → queue
    wiring = laid_out("q")
    add_lossy(wiring, drop=0.5, seed=7)
    queue = wiring.queue("q")
    for pattern in "XYZ":
        wiring.register(queue, "names", pattern)
    wiring.stack(queue, "tests", {"ABC": None})
    wiring.stack(queue, "lossy")
    # Then only messages for X, Y, Z with the property ABC reach it, and of these about half
    assert sum(reached(wiring, "names", "Y", ABC=1) == ["q"] for _ in range(1000)) in range(400, 600)
    assert not any(reached(wiring, "names", "Y") or reached(wiring, "names", "W", ABC=1) for _ in range(50))


def test_a_stack_stands_before_every_way_to_the_queue() -> None:
    wiring = laid_out("q")
    queue = wiring.queue("q")
    for proxy in ("names", "topics"):
        wiring.register(queue, proxy, "x")
    wiring.stack(queue, "tests", {"size": 1})
    for proxy in ("names", "topics"):
        assert reached(wiring, proxy, "x", size=1) == ["q"]
        assert reached(wiring, proxy, "x", size=2) == []


def test_each_stage_must_let_it_pass_for_one_of_its_destinations() -> None:
    wiring = laid_out("q")
    queue = wiring.queue("q")
    wiring.register(queue, "all")
    wiring.stack(queue, "topics", "a.*")
    assert reached(wiring, "all", "a.b") == reached(wiring, "all", "x", "a.c") == ["q"]
    assert reached(wiring, "all", "x", "y") == []


def test_the_first_stage_that_blocks_is_named() -> None:
    wiring = laid_out("q")
    queue = wiring.queue("q")
    first, second = wiring.stack(queue, "topics", "a.*"), wiring.stack(queue, "tests", {"size": 1})
    assert blocking_stage(queue, Message(b"", "x"), ("x",)) is first
    assert blocking_stage(queue, Message(b"", "a.b"), ("a.b",)) is second
    assert blocking_stage(queue, Message(b"", "a.b", {"size": 1}), ("a.b",)) is None


# Lost, or unroutable


@pytest.mark.parametrize(("drop", "is_lost"), [(0.0, False), (1.0, True)])
def test_what_a_lossy_proxy_drops_is_lost(drop: float, is_lost: object) -> None:
    wiring = laid_out("q")
    add_lossy(wiring, drop)
    wiring.register(wiring.queue("q"), "lossy")
    assert lost(wiring, "lossy") is is_lost
    assert bool(reached(wiring, "lossy")) is not is_lost


@pytest.mark.parametrize(("drop", "is_lost"), [(0.0, False), (1.0, True)])
def test_what_a_lossy_stage_drops_is_lost_too(drop: float, is_lost: object) -> None:
    wiring = laid_out("q")
    add_lossy(wiring, drop)
    wiring.register(wiring.queue("q"), "all")
    wiring.stack(wiring.queue("q"), "lossy")
    assert lost(wiring, "all") is is_lost


def test_what_another_stage_blocks_is_not_lost() -> None:
    wiring = laid_out("q")
    wiring.register(wiring.queue("q"), "all")
    wiring.stack(wiring.queue("q"), "tests", {"size": 1})
    assert not lost(wiring, "all")


def test_with_nobody_to_lose_it_for_it_is_unroutable() -> None:
    wiring = laid_out()
    add_lossy(wiring, drop=1.0)
    assert not lost(wiring, "lossy")


# One draw a message


def count_draws(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    draws: list[int] = []

    def drops() -> bool:
        draws.append(1)
        return True

    monkeypatch.setattr(wiring.proxy("lossy"), "drops", drops)
    return draws


def test_dice_are_thrown_once_however_many_destinations_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    wiring = laid_out("q")
    add_lossy(wiring, drop=1.0)
    wiring.register(wiring.queue("q"), "lossy")
    draws = count_draws(wiring, monkeypatch)
    assert reached(wiring, "lossy", "a", "b", "c") == []
    assert len(draws) == 1


def test_dice_are_thrown_once_however_many_ways_lead_to_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    wiring = laid_out("q")
    add_lossy(wiring, drop=1.0)
    queue = wiring.queue("q")
    wiring.stack(queue, "lossy")
    wiring.register(wiring.proxy("names"), "all")
    wiring.register(queue, "all")
    wiring.register(queue, "names", "x")
    draws = count_draws(wiring, monkeypatch)
    assert reached(wiring, "all", "x", "y") == []
    assert len(draws) == 1


def test_the_order_of_the_queues_is_that_of_their_registration() -> None:
    wiring = laid_out(*"dcba")
    for name in "dcba":
        wiring.register(wiring.queue(name), "all")
    assert reached(wiring, "all") == list("dcba")
