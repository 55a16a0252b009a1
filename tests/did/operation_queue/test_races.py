"""Instances at the same rows at the same time, on real databases: each operation is anchored once.

Everybody takes everybody for dead, and works on: what waits is detached and posted anew from under its
owner, cuts are adopted in the middle of their batch, and messages come twice.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.database import DomainDatabase
from penstock.did.operation_queue.cuts import (
    LeftOut,
    ack_cut,
    make_cut,
    nack_cut,
    open_cuts,
    record_anchor,
    record_files,
)
from penstock.did.operation_queue.detached import claim_due, claimed_page, delete_posted
from penstock.did.operation_queue.heartbeat import last_words
from penstock.did.operation_queue.monitor import recover
from penstock.did.operation_queue.reposting import new_claim
from penstock.did.operation_queue.tables import OPERATION_QUEUE
from penstock.did.operation_queue.taking import take
from penstock.errors import CutLost, StoreError
from tests.did.operation_queue.helpers import posted

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.operation_queue.cuts import CutRecord
    from penstock.did.operation_queue.operation import Posted

COUNT = 40
INSTANCES = 3
#: PostgreSQL takes a second to find out that two wait for each other, and they do so often here.
PATIENCE_S = 240.0

ANCHORS = sa.Table("anchors", sa.MetaData(), sa.Column("operation", sa.String, nullable=False))


class Instance:
    """One of them, in a thread of its own."""

    def __init__(self, number: int, url: str, messages: queue.Queue[Posted], over: threading.Event) -> None:
        self.me = f"instance-{number}"
        self.database = DomainDatabase(url)
        self.messages = messages
        self.over = over
        self.random = Random(number)
        self.waiting: list[str] = []

    def live(self) -> None:
        steps: list[Callable[[], None]] = [self.take, self.take, self.cut, self.go_on, self.go_on, self.watch]
        try:
            while not self.over.is_set():
                try:
                    self.random.choice(steps)()
                except CutLost:
                    continue
                except StoreError as exc:
                    # Two lock the same rows, each in another order: one of them has to try again.
                    if "deadlock" not in str(exc):
                        raise
        finally:
            self.database.close()

    def take(self) -> None:
        batch: dict[str, Posted] = {}
        while not self.messages.empty() and len(batch) < 8:
            each = self.messages.get()
            batch[each.id] = each
        if not batch:
            return
        try:
            mine = self.database.do(take, self.me, list(batch.values()), now=time.time(), lifespan=60.0)
        except StoreError:
            self.post(*batch.values())
            raise
        self.waiting += mine
        # Not acked in time, some come again.
        self.post(*self.random.sample(list(batch.values()), len(batch) // 4))

    def cut(self) -> None:
        if self.waiting:
            ids, self.waiting = self.waiting, []
            try:
                self.database.do(make_cut, self.me, ids, version=0, now=time.time())
            except StoreError:
                self.waiting += ids
                raise

    def go_on(self) -> None:
        for cut in self.database.do(open_cuts, self.me):
            self.step(cut)

    def step(self, cut: CutRecord) -> None:
        if cut.state == "cut" and self.random.random() < 0.3:
            claim = new_claim()
            self.database.do(nack_cut, cut, claim=claim, now=time.time(), error="why", blamed=[])
            self.repost(claim)
        elif cut.state == "cut":
            self.database.do(record_files, cut, {}, LeftOut(), now=1.0)
        elif cut.state == "files":
            self.database.do(self.anchor, cut)
        else:
            now = time.time()
            self.database.do(ack_cut, cut, claim="", now=now, lifespan=60.0, expires_at=now + 3600)

    @staticmethod
    def anchor(connection: sa.Connection, cut: CutRecord) -> None:
        record_anchor(connection, cut, "hl:x", now=1.0)
        connection.execute(sa.insert(ANCHORS), [{"operation": each} for each in cut.operations])

    def watch(self) -> None:
        """Take all others for dead."""
        claim, now = new_claim(), time.time()
        self.database.do(claim_due, claim, now)
        for task, word in self.database.do(last_words, self.me).items():
            self.database.do(recover, task, self.me, word=word, claim=claim, now=now, limit=5)
        self.repost(claim)

    def repost(self, claim: str) -> None:
        while page := self.database.do(claimed_page, claim, 100):
            self.post(*(each.posted for each in page))
            self.database.do(delete_posted, claim, [each.posted.id for each in page])

    def post(self, *batch: Posted) -> None:
        for each in batch:
            self.messages.put(each)


def test_instances_that_race_anchor_every_operation_once(database: DomainDatabase, database_url: str) -> None:
    database.create(OPERATION_QUEUE)
    database.do(ANCHORS.create)
    messages: queue.Queue[Posted] = queue.Queue()
    for number in range(COUNT):
        messages.put(posted(number))
    over = threading.Event()

    def anchored() -> list[str]:
        return database.do(lambda connection: list(connection.scalars(sa.select(ANCHORS.c.operation))))

    with ThreadPoolExecutor(INSTANCES) as threads:
        lives = [
            threads.submit(Instance(number, database_url, messages, over).live) for number in range(INSTANCES)
        ]
        until = time.monotonic() + PATIENCE_S
        while len(set(anchored())) < COUNT and time.monotonic() < until:
            if any(life.done() for life in lives):
                break
            time.sleep(0.02)
        over.set()
        for life in lives:
            life.result()
    assert sorted(anchored()) == sorted(posted(number).id for number in range(COUNT))
