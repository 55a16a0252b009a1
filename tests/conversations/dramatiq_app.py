"""A small Dramatiq application: `dramatiq dramatiq_app` works, `python dramatiq_app.py` asks.

BROKER is the broker's URL, QUEUE the name of the queue, DIARY the file into which the actors write.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import dramatiq
from dramatiq.brokers.rabbitmq import RabbitmqBroker

QUEUE = os.environ["QUEUE"]
DIARY = Path(os.environ["DIARY"])
PATIENCE_S = 60

broker = RabbitmqBroker(url=os.environ["BROKER"], confirm_delivery=True, max_priority=10)
dramatiq.set_broker(broker)


def note(line: str) -> None:
    with DIARY.open("a") as diary:
        diary.write(f"{line}\n")


@dramatiq.actor(queue_name=QUEUE)
def add(x: int, y: int) -> None:
    note(f"add {x + y}")


@dramatiq.actor(queue_name=QUEUE, max_retries=2, min_backoff=10, max_backoff=50)
def fail() -> None:
    note("fail")
    raise ArithmeticError("as it should")


def ask() -> dict[str, Any]:
    """Send messages, and wait until one of them is dead."""
    add.send(1, 2)
    add.send_with_options(args=(20, 30), delay=100)
    fail.send()
    until = time.monotonic() + PATIENCE_S
    while broker.get_queue_message_counts(QUEUE) != (0, 0, 1) and time.monotonic() < until:
        time.sleep(0.05)
    return {
        "messages": broker.get_queue_message_counts(QUEUE),
        "diary": sorted(DIARY.read_text().splitlines()),
    }


if __name__ == "__main__":
    print(json.dumps(ask()))  # noqa: T201  the test reads it
