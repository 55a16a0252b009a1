"""Dramatiq: its own defaults, but for the window of 500 and the metrics server that nobody asks.

`python dramatiq_side.py` sends the jobs, `dramatiq dramatiq_side` does them.
"""

from __future__ import annotations

import os

os.environ.setdefault("dramatiq_queue_prefetch", "500")

import dramatiq
from counting import BROKER, JOBS, QUEUE, count
from dramatiq.brokers.rabbitmq import RabbitmqBroker

dramatiq.set_broker(RabbitmqBroker(url=BROKER))


@dramatiq.actor(queue_name=QUEUE)
def job(number: int) -> None:
    count()


if __name__ == "__main__":
    for number in range(JOBS):
        job.send(number)
