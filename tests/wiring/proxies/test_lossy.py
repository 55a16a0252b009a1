"""LOSSY: everything to everyone, less what chance takes; the same chance for the same seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadConfiguration
from penstock.wiring.message import Message
from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.proxies.lossy import Lossy
from penstock.wiring.registration import Target

if TYPE_CHECKING:
    from penstock.wiring.proxy import Proxy

MESSAGE = Message(b"")


class Place(Target):
    detour = False


def passes(proxy: Lossy, count: int) -> list[bool]:
    return [bool(proxy.route(MESSAGE, "a")) for _ in range(count)]


def lossy_with_place(**properties: Any) -> Lossy:
    proxy = Lossy("line", **properties)
    proxy.register(Place(), None)
    return proxy


@pytest.mark.parametrize(("drop", "passed"), [(0, 100), (0.0, 100), (1, 0), (1.0, 0)])
def test_at_the_ends_nothing_is_left_to_chance(drop: float, passed: int) -> None:
    assert sum(passes(lossy_with_place(drop=drop), 100)) == passed


@pytest.mark.parametrize("drop", [0.1, 0.5, 0.9])
def test_in_between_about_that_share_is_dropped(drop: float) -> None:
    # 10,000 draws: five standard deviations are at most 250. The seed makes the test repeatable.
    dropped = passes(lossy_with_place(drop=drop, seed=1), 10_000).count(False)
    assert abs(dropped - 10_000 * drop) < 250


def test_half_is_dropped_unless_told_otherwise() -> None:
    assert Lossy("line").properties == {"drop": 0.5, "seed": None}
    assert Lossy("line").drop == 0.5


def test_a_seed_makes_a_run_repeatable() -> None:
    assert passes(lossy_with_place(seed=7), 200) == passes(lossy_with_place(seed=7), 200)
    assert passes(lossy_with_place(seed=7), 200) != passes(lossy_with_place(seed=8), 200)


def test_a_run_does_not_depend_on_who_else_draws() -> None:
    expected = passes(lossy_with_place(seed=7), 100)
    proxy = lossy_with_place(seed=7)
    outcome = []
    for _ in range(100):
        random.random()
        outcome += passes(proxy, 1)
    assert outcome == expected


def test_one_draw_a_message_so_everyone_gets_it_or_nobody() -> None:
    proxy = Lossy("line", seed=7)
    places = [Place(), Place(), Place()]
    for place in places:
        proxy.register(place, "whatever")
    outcomes = [list(proxy.route(MESSAGE, "a")) for _ in range(100)]
    assert {len(outcome) for outcome in outcomes} == {0, 3}
    assert [bool(outcome) for outcome in outcomes] == passes(lossy_with_place(seed=7), 100)


def test_a_message_dropped_at_one_rate_is_dropped_at_every_higher_one() -> None:
    rarely, often = (
        passes(lossy_with_place(drop=0.2, seed=3), 500),
        passes(lossy_with_place(drop=0.6, seed=3), 500),
    )
    assert all(low or not high for low, high in zip(rarely, often, strict=True))


def test_in_a_stack_it_draws_alike() -> None:
    proxy = Lossy("line", seed=7)
    outcomes = [proxy.passes(None, MESSAGE, "a") for _ in range(100)]
    assert outcomes == passes(lossy_with_place(seed=7), 100)


def test_what_it_drops_is_lost_not_unroutable() -> None:
    assert Lossy.loses
    assert not Fanout.loses


def test_no_way_is_remembered() -> None:
    proxy = lossy_with_place()
    proxy.route(MESSAGE, "a")
    assert proxy.known_ways is None


def test_to_ask_why_is_not_to_draw() -> None:
    lossy = lossy_with_place(drop=1, seed=7)
    proxy: Proxy = lossy
    before = lossy.random.getstate()
    assert proxy.why_not(None, MESSAGE, "a") is None  # it asks for everything; chance is not its doing
    assert lossy.random.getstate() == before


@pytest.mark.parametrize("drop", [-0.1, 1.1, float("nan"), float("inf"), "0.5", None, True])
def test_what_is_no_probability_is_refused(drop: Any) -> None:
    with pytest.raises(BadConfiguration, match="is no probability: give a LOSSY proxy a number from 0 to 1"):
        Lossy("line", drop=drop)


@pytest.mark.parametrize("seed", [1.5, "a", True, b"a"])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(
        BadConfiguration, match="is no seed: give a LOSSY proxy an integer, or None for chance"
    ):
        Lossy("line", seed=seed)
