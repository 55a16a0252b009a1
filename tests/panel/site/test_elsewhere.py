"""The same pages before a real RabbitMQ: they show what it can tell, and say in a sentence what it cannot."""

from __future__ import annotations

import asyncio
import base64
import threading
from typing import TYPE_CHECKING

import pika
import pytest

from penstock.cli.management import ManagementApi
from penstock.panel.elsewhere import ElsewhereDesk
from penstock.panel.serving import PanelServer
from penstock.settings import Settings
from penstock.settings.address import Address
from tests.servers.managed import managed_rabbitmq
from tests.servers.running import HOST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.chromium import Browser, Tab
    from tests.servers.managed import Managed

GUEST = base64.b64encode(b"guest:guest").decode()


class Before:
    """A panel before a broker elsewhere, in a thread of its own."""

    def __init__(self, management: str) -> None:
        self.url = ""
        self._management = management
        self._is_ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="before")

    def __enter__(self) -> str:
        self._thread.start()
        assert self._is_ready.wait(30)
        return self.url

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._over is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        settings = Settings(panel=(Address("127.0.0.1", 0),), amqp=())
        server = PanelServer(ElsewhereDesk(ManagementApi(self._management).place), settings)
        await server.start()
        self.url = server.urls[0]
        self._is_ready.set()
        await self._over.wait()
        await server.close()


@pytest.fixture(scope="module")
def rabbit(run_folder: Path, real_program: Callable[[str], Path]) -> Managed:
    return managed_rabbitmq(real_program("rabbitmq"), run_folder)


@pytest.fixture(scope="module")
def url(rabbit: Managed) -> Iterator[str]:
    """A panel before RabbitMQ."""
    with Before(rabbit.management) as found:
        yield found


@pytest.fixture
def guest(browser: Browser) -> Iterator[Tab]:
    """A tab that has told guest's password, as a browser does once it was asked."""
    with browser.tab() as tab:
        tab.call("Network.setExtraHTTPHeaders", headers={"Authorization": f"Basic {GUEST}"})
        yield tab
        assert tab.troubles == []


def test_a_queue_of_rabbitmq_is_declared_published_to_looked_into_and_deleted(url: str, guest: Tab) -> None:
    guest.go(f"{url}/queues")
    guest.wait("document.querySelector('#state').dataset.state === 'polling'")
    guest.click("New queue…")
    guest.fill("name", "panelled", "dialog")
    guest.click("Declare", "dialog")
    guest.click("panelled", "table")
    guest.fill("payload", "hello")
    guest.click("Publish")
    guest.see("Published.", "#notices")
    guest.click("Peek")
    guest.see("hello", ".message pre")
    guest.see("marked as redelivered", "#content")
    guest.click("Delete…")
    guest.fill("typed", "panelled", "dialog")
    guest.click("Delete", "dialog")
    guest.wait("location.pathname === '/queues'")


def test_pages_show_what_rabbitmq_can_tell_or_say_that_it_cannot(url: str, guest: Tab) -> None:
    for path, text in {
        "/": "RabbitMQ",
        "/exchanges": "amq.topic",
        "/vhosts": "elsewhere",
        "/users": "hashed-512",
        "/wiring": "proxies",
        "/dead-letters": "This broker cannot tell about dead letters",
        "/workers": "This broker cannot tell about workers",
    }.items():
        guest.go(url + path)
        guest.see(text, "#content")


def test_who_is_connected_to_rabbitmq_is_shown_with_channels_and_users(
    url: str, guest: Tab, rabbit: Managed
) -> None:
    told = {"connection_name": "panelled client"}
    where = pika.ConnectionParameters(HOST, rabbit.running.port, client_properties=told)
    with pika.BlockingConnection(where) as connection:
        connection.channel()
        guest.go(f"{url}/connections")
        guest.see("panelled client", "#content")
        port = guest.wait(
            "[...document.querySelectorAll('tbody a')].find((each) => each.closest('tr').innerText"
            ".includes('panelled client'))?.getAttribute('href')"
        )
        guest.go(f"{url}/channels")
        guest.see("(1)", "table")
        guest.go(url + port)
        guest.see("panelled client", "#content")
        guest.see("guest", "#content")
    guest.go(f"{url}/users/guest")
    guest.see("administrator", "#content")
