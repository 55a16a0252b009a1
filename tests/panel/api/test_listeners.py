from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.panel.api.listeners import Listener, listeners
from penstock.panel.visit import NOBODY, Visit

if TYPE_CHECKING:
    from tests.panel.house import House


def test_listeners_are_the_brokers_and_the_panels_own(house: House) -> None:
    house.embedded.urls[:] = ["amqp://127.0.0.1:5672", "amqps://[::1]:5671", "beanstalk://0.0.0.0:11300"]
    house.asker.panel.urls[:] = ["http://127.0.0.1:15672"]
    assert listeners(Visit(panel=house.asker.panel, user=NOBODY)) == [
        Listener("amqp", "127.0.0.1", 5672),
        Listener("amqp/ssl", "::1", 5671),
        Listener("beanstalk", "0.0.0.0", 11300),  # noqa: S104 (read, not bound)
        Listener("http", "127.0.0.1", 15672),
    ]
