"""Configured defaults: the second layer, as a configuration file has it, between classes and run time."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadConfiguration, UnknownProxyClass
from penstock.wiring import (
    OWN_NAME,
    PROXY_CLASSES,
    DeadLetters,
    DefaultRegistration,
    Defaults,
    Overflow,
    Template,
    Wiring,
)
from penstock.wiring.proxies import Fanout
from tests.wiring.support import ready, send

TABLES: dict[str, dict[str, dict[str, Any]]] = {
    "templates": {
        "orders": {
            "persistent": True,
            "max_length": 1000,
            "overflow": "reject-publish",
            "dead_letters": {"proxy": "dead"},
            "registration": {"proxy": "names"},
            "max_consumers": 5,
        },
        "news": {"registration": {"proxy": "topics", "pattern": "news.#"}},
    },
    "proxies": {
        "names": {"class": "DEST-NAME", "persistent": True},
        "topics": {"class": "DEST-WILD", "alternate": "dead"},
        "dead": {"class": "FANOUT"},
        "bad line": {"class": "LOSSY", "drop": 0.25},
    },
}


class Twice(Fanout):
    class_name = "TWICE"


def test_nothing_is_predefined_unless_somebody_does() -> None:
    assert Defaults() == Defaults.from_tables({})
    assert (Wiring().proxies, Wiring().templates) == ({}, {"": Template()})


def test_templates_are_read_from_tables() -> None:
    templates = Defaults.from_tables(TABLES).templates
    assert templates["orders"] == Template(
        persistent=True,
        max_length=1000,
        overflow=Overflow.REJECT_PUBLISH,
        dead_letters=DeadLetters("dead"),
        registration=DefaultRegistration("names", OWN_NAME),
        max_consumers=5,
    )
    assert templates["news"].registration == DefaultRegistration("topics", "news.#")


def test_predefined_proxies_exist_from_the_start() -> None:
    wiring = Wiring(Defaults.from_tables(TABLES))
    classes = {name: proxy.class_name for name, proxy in wiring.proxies.items()}
    assert classes == {"names": "DEST-NAME", "topics": "DEST-WILD", "dead": "FANOUT", "bad line": "LOSSY"}
    assert (wiring.proxy("names").persistent, wiring.proxy("topics").alternate) == (True, "dead")
    assert wiring.proxy("bad line").properties["drop"] == 0.25


def test_three_layers_classes_defaults_and_run_time() -> None:
    # Given a class from outside, and a proxy and a template that are configured to use it
    tables: dict[str, dict[str, dict[str, Any]]] = {
        "templates": {"copy": {"registration": {"proxy": "all"}}},
        "proxies": {"all": {"class": "TWICE"}},
    }
    wiring = Wiring(Defaults.from_tables(tables), proxy_classes=PROXY_CLASSES | {"TWICE": Twice})
    # When an application creates a queue
    queue = wiring.create_queue("mine", template="copy", now=0.0)
    # Then what is sent to the proxy reaches it
    send(wiring, "x", proxy="all")
    assert ready(queue) == ["x"]


@pytest.mark.parametrize(
    ("tables", "complaint"),
    [
        ({"queues": {}, "exchanges": {}}, "unknown table exchanges, queues: there are templates and proxies"),
        ({"proxies": {"p": {"persistent": True}}}, "proxy 'p': say its class, e.g. class = 'DEST-NAME'"),
        ({"templates": {"t": {"colour": 1}}}, "template 't': a queue has no property colour"),
        ({"templates": {"t": {"max_length": -1}}}, "template 't': max_length is -1"),
        ({"templates": {"t": {"max_length": "many"}}}, "template 't': max_length is 'many'"),
        ({"templates": {"t": {"overflow": "explode"}}}, "template 't': 'explode' is not a valid Overflow"),
        ({"templates": {"t": {"dead_letters": {"home": "x"}}}}, "template 't': .*unexpected keyword.*home"),
        ({"templates": {"t": {"dead_letters": "x"}}}, "template 't': .*mapping"),
        ({"templates": {"t": {"registration": {}}}}, "template 't': .*missing.*proxy"),
    ],
)
def test_what_is_wrong_is_named_with_its_table(tables: Any, complaint: str) -> None:
    with pytest.raises(BadConfiguration, match=complaint):
        Defaults.from_tables(tables)


def test_a_configured_proxy_of_an_unknown_class_stops_the_wiring_from_being_made() -> None:
    tables = {"proxies": {"p": {"class": "DEST-NAM"}}}
    with pytest.raises(UnknownProxyClass, match=r"DEST-NAM.*did you mean 'DEST-NAME'"):
        Wiring(Defaults.from_tables(tables))


def test_a_configured_proxy_with_an_unknown_property_too() -> None:
    with pytest.raises(BadConfiguration, match="a LOSSY proxy has no property dorp; it knows: drop, seed"):
        Wiring(Defaults.from_tables({"proxies": {"p": {"class": "LOSSY", "dorp": 1}}}))
