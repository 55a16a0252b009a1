"""Penstock: a typed event, checked on receipt, and a handler that is acked after success; a window of 500.

`python handler_side.py send` sends the jobs, `python handler_side.py` does them.
"""

from __future__ import annotations

import asyncio
import sys

import msgspec
import uvloop
from counting import BROKER, JOBS, QUEUE, count

from penstock.messaging import Destination
from penstock.messaging.application import Application
from penstock.messaging.events import event
from penstock.messaging.opening import open_broker

WINDOW = 500
BATCH = 500

app = Application(QUEUE, mq_url=BROKER)


@event("Job")
class Job(msgspec.Struct):
    """What is to be done."""

    number: int


@app.consumer(Job, name="jobs", pool=1, prefetch=WINDOW)
async def job(_: Job) -> None:
    count()


async def work() -> None:
    await app.start()
    await asyncio.Event().wait()


async def send() -> None:
    broker = await open_broker(BROKER)
    await broker.initialize(app.topology())
    to = Destination(QUEUE, "Job")
    for first in range(0, JOBS, BATCH):
        jobs = [(app.message(Job(number)), to) for number in range(first, min(first + BATCH, JOBS))]
        assert await broker.publish_many(jobs) == [None] * len(jobs)
    await broker.close()


if __name__ == "__main__":
    uvloop.run(send() if "send" in sys.argv else work())
