"""A small Celery application: `celery -A celery_app worker` works, `python celery_app.py` asks.

BROKER is the broker's URL and QUEUE the name of the queue, which begins the names of all others.
"""

from __future__ import annotations

import json
import os
from typing import Any

from celery import Celery, chain, group
from celery.exceptions import Reject
from kombu import Exchange, Queue

QUEUE = os.environ["QUEUE"]
PATIENCE_S = 60

dead_letters = Exchange(f"{QUEUE}.dead", "direct")
app = Celery("celery_app", broker=os.environ["BROKER"], backend="rpc://")
app.conf.update(
    broker_connection_retry_on_startup=True,
    task_acks_late=True,
    task_default_queue=QUEUE,
    task_publish_retry_policy={"max_retries": 2},
    task_queues=[
        Queue(
            QUEUE,
            Exchange(QUEUE, "direct"),
            routing_key=QUEUE,
            max_priority=5,
            queue_arguments={
                "x-dead-letter-exchange": dead_letters.name,
                "x-dead-letter-routing-key": "dead",
            },
        )
    ],
    worker_prefetch_multiplier=1,
)


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task(bind=True, max_retries=3)
def succeed_at_the_third_try(self: Any) -> int:
    if self.request.retries < 2:
        raise self.retry(countdown=0.05)
    tries: int = self.request.retries + 1
    return tries


@app.task
def fail() -> None:
    raise ArithmeticError("as it should")


@app.task(bind=True)
def refuse(self: Any) -> None:
    raise Reject("not with me", requeue=False)


def ask() -> dict[str, Any]:
    """Everything a client asks of its worker, and the answers."""
    outcome: dict[str, Any] = {}
    with app.connection_for_write() as connection:
        channel = connection.channel()
        graveyard = Queue(f"{QUEUE}.dead", dead_letters, routing_key="dead", channel=channel)
        graveyard.declare()
        outcome["call"] = add.delay(2, 3).get(timeout=PATIENCE_S)
        outcome["later"] = add.apply_async((1, 1), countdown=0.1, priority=5).get(timeout=PATIENCE_S)
        outcome["chain"] = chain(add.s(1, 1), add.s(10))().get(timeout=PATIENCE_S)
        outcome["group"] = group(add.s(n, n) for n in range(5))().get(timeout=PATIENCE_S)
        outcome["retried"] = succeed_at_the_third_try.delay().get(timeout=PATIENCE_S)
        outcome["failed"] = repr(fail.delay().get(timeout=PATIENCE_S, propagate=False))
        outcome["pong"] = [list(reply.values()) for reply in app.control.ping(timeout=PATIENCE_S, limit=1)]
        refuse.delay()
        add.delay(0, 0).get(timeout=PATIENCE_S)  # by now the one before it was refused
        while not (letter := graveyard.get(no_ack=True)):
            pass
        outcome["dead"] = [letter.headers["task"], letter.headers["x-death"][0]["reason"]]
    return outcome


if __name__ == "__main__":
    print(json.dumps(ask()))  # noqa: T201  the test reads it
