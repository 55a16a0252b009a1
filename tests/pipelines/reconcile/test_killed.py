"""The command is killed while it tells, and run again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.pipelines.reconcile.copies import Copy
from penstock.pipelines.reconcile.differences import Difference
from penstock.pipelines.reconcile.reconciler import CopyReconciler
from penstock.pipelines.reconcile.telling import message_id
from tests.pipelines.reconcile.shop import THREADS, reconciler

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipelines.reconcile.shop import Shop

ROWS = 6_000


def command(shop: Shop, copy: Shop) -> list[str]:
    arguments = ["reconcile", "--database", shop.url, "--copy", copy.url, "--exchange", "commons", "threads"]
    return [sys.executable, "-m", "penstock", *arguments]


def test_after_kill_9_every_difference_is_told_once(
    new_shop: Callable[[str], Shop], postgresql_url: str
) -> None:
    # Given what a comparison has found: the copy lacks everything.
    shop, copy = new_shop(postgresql_url), new_shop("copy")
    shop.change(sa.insert(THREADS), [{"id": 100 + n, "title": "x" * 200, "views": n} for n in range(ROWS)])
    work = CopyReconciler(reconciler(), shop.engine, [Copy(copy.url)], run="v42")
    work.prepare()
    found = [Difference("v42", (100 + n,), is_copied=False) for n in range(ROWS)]
    with shop.engine.begin() as connection:
        work.differences.add(connection, "threads", found)

    # When who tells it is killed, and killed again, each time with some of it told.
    for _ in range(2):
        before = shop.count()
        process = subprocess.Popen(command(shop, copy), stdout=subprocess.DEVNULL)
        while shop.count() == before and process.poll() is None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert before < shop.count() < ROWS

    # Then the next run tells the rest, without Spark, and everything was told once, under the ids of the run.
    left = work.left(work.tables[0])
    assert left == ROWS - shop.count()
    done = subprocess.run(command(shop, copy), capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines() == [
        f"threads: an earlier run was broken off; {left} of its differences are told now",
        f"threads: {left} created",
        f"{left} told",
    ]
    assert sorted(message[3] for message in shop.told()) == sorted(
        message_id(each, "threads") for each in found
    )
