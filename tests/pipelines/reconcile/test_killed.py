"""The command is killed while it tells, and run again."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.pipelines.reconcile.copies import Copy
from penstock.pipelines.reconcile.differences import Difference
from penstock.pipelines.reconcile.reconciler import CopyReconciler
from penstock.pipelines.reconcile.telling import PAGE, message_id
from tests.pipelines.queues import until
from tests.pipelines.reconcile.shop import THREADS, reconciler
from tests.servers.nursery import nursery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.pipelines.reconcile.shop import Shop
    from tests.servers.nursery import Born

#: One page for each of two lives that are killed, and one for the last.
ROWS = 3 * PAGE


class Desk:
    """A shared table whose copy lacks everything, as a comparison has found, and the command on them."""

    def __init__(self, shop: Shop, copy: Shop, folder: Path) -> None:
        self.shop, self.copy, self.folder = shop, copy, folder
        self.found = [Difference("v42", (100 + n,), is_copied=False) for n in range(ROWS)]
        shop.change(
            sa.insert(THREADS), [{"id": 100 + n, "title": "x" * 200, "views": n} for n in range(ROWS)]
        )
        self.work = CopyReconciler(reconciler(), shop.engine, [Copy(copy.url)], run="v42")
        self.work.prepare()
        with shop.engine.begin() as connection:
            self.work.differences.add(connection, "threads", self.found)

    @property
    def log(self) -> Path:
        return self.folder / "reconcile.log"

    def start(self) -> Born:
        arguments = ["--database", self.shop.url, "--copy", self.copy.url, "--exchange", "commons", "threads"]
        command = nursery("penstock.cli:main", "penstock.server.main")
        return command.start("reconcile", *arguments, folder=self.folder, log=self.log)

    @contextmanager
    def one_page_to_tell(self) -> Iterator[None]:
        """Whoever tells can tell the next page, and no more: somebody works on a row of the one behind it."""
        with self.shop.engine.begin() as connection:
            *_, last = self.work.differences.first(connection, "threads", 2 * PAGE)
        with self.shop.engine.begin() as connection:
            connection.execute(sa.select(THREADS).where(THREADS.c.id == last.key[0]).with_for_update())
            yield


def test_after_kill_9_every_difference_is_told_once(
    new_shop: Callable[[str], Shop], postgresql_url: str, tmp_path: Path
) -> None:
    # Given what a comparison has found: the copy lacks everything.
    shop = new_shop(postgresql_url)
    desk = Desk(shop, new_shop("copy"), tmp_path)

    # When who tells it is killed in the middle of a page, and killed again.
    for told in (PAGE, 2 * PAGE):
        with desk.one_page_to_tell():
            process = desk.start()
            until(lambda told=told: shop.count() == told)  # type: ignore[misc]
            process.kill()
        assert process.poll() == -signal.SIGKILL
        assert shop.count() == told

    # Then the next run tells the rest, without Spark, and everything was told once, under the ids of the run.
    assert desk.work.left(desk.work.tables[0]) == PAGE
    assert desk.start().wait(120) == 0
    assert desk.log.read_text().splitlines() == [
        f"threads: an earlier run was broken off; {PAGE} of its differences are told now",
        f"threads: {PAGE} created",
        f"{PAGE} told",
    ]
    assert sorted(message[3] for message in shop.told()) == sorted(
        message_id(each, "threads") for each in desk.found
    )
