"""The proxy classes that come with the package, under their names."""

from __future__ import annotations

import pytest

from penstock.wiring import proxies
from penstock.wiring.proxies import PROXY_CLASSES, Fanout
from penstock.wiring.proxy import Proxy


def test_the_seven_of_the_seed_are_there_in_its_order() -> None:
    assert list(PROXY_CLASSES) == [
        "FANOUT",
        "DEST-NAME",
        "DEST-WILD",
        "PROP-TEST",
        "PROP-WILD",
        "SELECTOR",
        "LOSSY",
    ]


@pytest.mark.parametrize("class_name", PROXY_CLASSES)
def test_each_is_a_proxy_that_can_be_made_by_name_alone(class_name: str) -> None:
    proxy = PROXY_CLASSES[class_name]("a")
    assert isinstance(proxy, Proxy)
    assert proxy.class_name == class_name
    assert repr(proxy) == f"<Proxy 'a' {class_name}, 0 registrations>"


def test_everything_listed_is_there_and_every_class_is_listed() -> None:
    listed = {getattr(proxies, name) for name in proxies.__all__ if name != "PROXY_CLASSES"}
    assert listed == set(PROXY_CLASSES.values())


def test_one_from_outside_is_added_beside_them_not_among_them() -> None:
    outside = type("Mine", (Fanout,), {"class_name": "MINE"})
    mine = PROXY_CLASSES | {"MINE": outside}
    assert "MINE" in mine
    assert "MINE" not in PROXY_CLASSES
