"""The pictures in docs/howto/panel.md: made anew with `./test --soak tests/panel/site/test_pictures.py`."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pika
import pytest
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from pika.adapters.blocking_connection import BlockingChannel

    from tests.panel.site.stage import Stage
    from tests.servers.chromium import Tab

IMAGES = Path(__file__).resolve().parents[3] / "docs" / "images"
#: A shop: proxies, and what is registered at them.
PROXIES = {"events": "topic", "mail": "fanout", "billing": "headers"}
QUEUES = {
    "orders.created": ("events", "order.created", None),
    "orders.paid": ("events", "order.paid", None),
    "audit": ("events", "#", None),
    "mail.welcome": ("mail", "", None),
    "mail.digest": ("mail", "", None),
    "billing.eu": ("billing", "", {"x-match": "all", "region": "eu"}),
    "billing.us": ("billing", "", {"x-match": "all", "region": "us"}),
    "thumbnails": ("", "thumbnails", None),
}
SENT = (
    ("events", "order.created"),
    ("events", "order.paid"),
    ("events", "user.created"),
    ("billing", ""),
    ("", "thumbnails"),
)
#: Seconds of traffic that the charts show.
TRAFFIC = 45.0


class Shop:
    """Publishes and consumes until it is told to stop."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._is_over = threading.Event()
        jobs = [
            self._sell,
            *(self._serve(name) for name in ("orders.created", "orders.paid", "audit", "billing.eu")),
        ]
        self._threads = [threading.Thread(target=job) for job in jobs]

    def __enter__(self) -> None:
        with self._stage.client("shop") as channel:
            for name, kind in PROXIES.items():
                channel.exchange_declare(name, kind, durable=True)
            channel.exchange_bind("mail", "events", "user.*")
            for name, (proxy, key, arguments) in QUEUES.items():
                channel.queue_declare(name, durable=True)
                if proxy:
                    channel.queue_bind(name, proxy, key, arguments)
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _sell(self) -> None:
        chance = Random(7)
        with self._stage.client("shop") as channel:
            number = 0
            while not self._is_over.wait(0.02):
                number += 1
                for proxy, key in SENT:
                    if chance.random() < 0.6:
                        headers = {"region": chance.choice(["eu", "us"])}
                        properties = pika.BasicProperties(message_id=f"m-{number}", headers=headers)
                        channel.basic_publish(
                            proxy, key, b'{"order": %d, "total": 12.5}' % number, properties
                        )

    def _serve(self, name: str) -> Callable[[], None]:
        def serve() -> None:
            with self._stage.client(f"{name} worker") as channel:
                channel.basic_qos(prefetch_count=20)
                channel.basic_consume(name, acked)
                while not self._is_over.is_set():
                    channel.connection.process_data_events(time_limit=0.2)

        def acked(channel: BlockingChannel, method: pika.spec.Basic.Deliver, *_: object) -> None:
            channel.basic_ack(method.delivery_tag or 0)

        return serve


@pytest.mark.soak
def test_pictures_are_made(stage: Stage, tab: Tab, tmp_path: Path) -> None:
    def shoot(name: str) -> None:
        tab.shoot(tmp_path / "picture.png")
        picture = Image.open(tmp_path / "picture.png").convert("RGB")
        picture.save(IMAGES / f"panel-{name}.png", optimize=True)

    stage.keep_letters("welcom")
    with Shop(stage):
        tab.go(stage.url)
        tab.run("localStorage.setItem('theme', 'light')")
        time.sleep(TRAFFIC)
        shoot("overview")
        tab.go(f"{stage.url}/wiring")
        tab.see("order.created", ".wiring")
        tab.run("document.querySelector('.explaining [name=proxy]').value = 'events'")
        tab.fill("key", "order.paid")
        tab.click("Explain")
        tab.see("It reaches", ".explaining")
        time.sleep(1)
        shoot("wiring")
        tab.go(f"{stage.url}/dead-letters")
        tab.wait("document.querySelector('tbody button.link') !== null")
        tab.run("document.querySelector('tbody button.link').click()")
        tab.click("letter-2", "#content")
        tab.see("Traceback", "pre")
        shoot("dead-letters")
        stage.keep_batches("the delta is larger than the protocol allows: 1,204 of 1,000 bytes", "bury")
        (newest, *_) = stage.api("GET", "/api/penstock/batches")
        tab.go(f"{stage.url}/batches/{newest['id']}")
        tab.see("resolvable", "table")
        shoot("batch")
        tab.run("localStorage.setItem('theme', 'dark')")
        tab.go(f"{stage.url}/queues")
        tab.see("thumbnails", "table")
        time.sleep(2)
        shoot("queues")
