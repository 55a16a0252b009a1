"""Penstock's worker: a typed job, checked on receipt, and a handler that is acked after success.

`python worker_side.py` sends the jobs, `penstock worker worker_side:routes` does them.
"""

from __future__ import annotations

import asyncio

import msgspec
from counting import BROKER, JOBS, QUEUE, count

from penstock.messaging import Destination, Message
from penstock.workers import Job, Jobs, Routes
from penstock.workers.form import encode_form

BATCH = 500

routes = Routes(QUEUE, priorities=False)


class Number(msgspec.Struct):
    """What is to be done."""

    number: int


@routes.route("/number")
async def number(_: Job[Number]) -> None:
    count()


async def send() -> None:
    async with await Jobs.open(BROKER) as jobs:
        await jobs.declare(QUEUE, priorities=False)
        to = Destination.queue(QUEUE)
        for first in range(0, JOBS, BATCH):
            numbers = range(first, min(first + BATCH, JOBS))
            sent = [(Message(body=encode_form("/number", Number(each))), to) for each in numbers]
            assert await jobs.broker.publish_many(sent) == [None] * len(sent)


if __name__ == "__main__":
    asyncio.run(send())
