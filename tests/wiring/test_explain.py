"""explain: which registrations were tried, which matched, and why not; for people, and without effect."""

from __future__ import annotations

from typing import Any

from penstock.wiring import Message, Target, Terms, Wiring
from tests.wiring.support import photograph


class Shelf(Target):
    detour = False

    def __repr__(self) -> str:
        return "a shelf"


def laid_out() -> Wiring:
    """Names with an alternate, behind them a proxy with another, and a stacked queue."""
    wiring = Wiring()
    wiring.create_proxy("names", "DEST-NAME", alternate="rest")
    wiring.create_proxy("rest", "FANOUT")
    wiring.create_proxy("tests", "PROP-TEST")
    wiring.create_proxy("lossy", "LOSSY", drop=1.0)
    stacked = wiring.create_queue("stacked", namespace="news", now=0.0)
    wiring.register(stacked, "names", "orders")
    wiring.stack(stacked, "tests", {"size": 1})
    wiring.stack(stacked, "lossy")
    wiring.register(wiring.create_queue("invoices", now=0.0), "names", "invoices")
    wiring.register(wiring.create_queue("others", now=0.0), "rest")
    return wiring


def asked(wiring: Wiring, destination: str, *also: str, **properties: Any) -> list[str]:
    told = wiring.explain("names", Message(b"", destination, properties, Terms(also=also)))
    return str(told).splitlines()


def test_a_match_and_why_the_others_did_not() -> None:
    assert asked(laid_out(), "invoices") == [
        "names: 'orders' → queue news/stacked: no: destination 'invoices' is not 'orders'",
        "names: 'invoices' → queue invoices: matches",
        "reaches invoices",
    ]


def test_each_stage_of_a_stack_is_tried_and_no_dice_are_thrown() -> None:
    wiring = laid_out()
    assert asked(wiring, "orders", size=1)[1:] == [
        "names: 'invoices' → queue invoices: no: destination 'orders' is not 'invoices'",
        "tests: all of (size = 1 (integer)) → queue news/stacked: matches",
        "lossy: everything → queue news/stacked: matches",
        "reaches news/stacked",
    ]


def test_a_stage_that_blocks_says_why() -> None:
    told = asked(laid_out(), "orders", size=2)
    assert told[2].startswith("tests: all of (size = 1 (integer)) → queue news/stacked: no: ")
    assert told[2].endswith("no: property 'size' is 2 (integer), not 1 (integer)")
    assert told[3:] == ["reaches no queue"]


def test_the_alternate_is_asked_when_nothing_matched() -> None:
    assert asked(laid_out(), "nobody")[2:] == ["rest: everything → queue others: matches", "reaches others"]


def test_an_alternate_that_does_not_exist_is_passed_over() -> None:
    wiring = Wiring()
    wiring.create_proxy("names", "DEST-NAME", alternate="not yet")
    assert asked(wiring, "x") == ["reaches no queue"]


def test_proxies_behind_proxies_are_asked_once_even_in_a_circle() -> None:
    wiring = laid_out()
    wiring.register(wiring.proxy("rest"), "names", "orders")
    wiring.register(wiring.proxy("names"), "rest")
    told = wiring.explain("names", Message(b"", "orders"))
    assert ("names", ("queue news/stacked", "proxy rest")) in [(t.proxy, t.targets) for t in told.trials]
    assert told.queues == ["others"]
    assert len([trial for trial in told.trials if trial.proxy == "rest"]) == 1


def test_further_destinations_are_tried_too() -> None:
    told = asked(laid_out(), "nobody", "invoices")
    assert told[-1] == "reaches invoices"
    assert told[0].endswith("no: destination 'nobody' is not 'orders'")


def test_a_queue_that_asked_twice_is_tried_once() -> None:
    wiring = laid_out()
    queue = wiring.queue("stacked", "news")
    wiring.register(queue, "rest")
    wiring.create_proxy("topics", "DEST-WILD")
    for pattern in ("#", "*"):
        wiring.register(queue, "topics", pattern)
    told = wiring.explain("topics", Message(b"", "x"))
    assert [trial.proxy for trial in told.trials] == ["topics", "topics", "tests"]
    assert len(told.matched) == 2


def test_identical_registrations_are_one_trial_with_all_who_asked() -> None:
    wiring = laid_out()
    wiring.register(wiring.queue("invoices"), "rest")
    told = wiring.explain("rest", Message(b""))
    (trial,) = told.matched
    assert (trial.targets, trial.matched, trial.why_not) == (("queue others", "queue invoices"), True, None)
    assert told.queues == ["others", "invoices"]


def test_a_target_from_outside_shows_itself() -> None:
    wiring = laid_out()
    wiring.register(Shelf(), "rest")
    (trial,) = wiring.explain("rest", Message(b"")).trials
    assert trial.targets == ("queue others", "a shelf")


def test_explaining_changes_nothing() -> None:
    wiring = laid_out()
    before = photograph(wiring)
    message = Message(b"", "orders", {"size": 1})
    for proxy in wiring.proxies:
        wiring.explain(proxy, message)
    assert photograph(wiring) == before
    assert (message.references, message.proxy) == (0, "")
