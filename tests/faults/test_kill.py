"""`kill -9` at random moments, under confirmed load: see `load.check` for what is promised."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from tests.faults import load
from tests.faults.broker import FaultyBroker, wait_for

if TYPE_CHECKING:
    from pathlib import Path

#: Seconds between the first confirm and ack, and the end of a life, at random.
LIVES = (0.0, 0.3)


def kill_again_and_again(folder: Path, rounds: int) -> None:
    chance = random.Random()
    seed = chance.randrange(2**32)
    chance.seed(seed)
    print(f"seed {seed}")  # noqa: T201  shown when it fails
    book = load.Book()
    with FaultyBroker(folder) as broker:
        broker.start()
        with broker.channel() as channel:
            load.declare(channel)
        for _ in range(rounds):
            threads = load.run(book, broker)
            wait_for(book.has_news, "a confirm and an ack")
            time.sleep(chance.uniform(*LIVES))
            broker.kill()
            for thread in threads:
                thread.join()
            broker.start()
            load.check(book, broker)
    # Given some of everything that the promises concern.
    assert len(book.confirmed) >= rounds
    assert book.gone


def test_nothing_confirmed_is_lost_by_kill_9(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 8)


@pytest.mark.soak
def test_nothing_confirmed_is_lost_by_kill_9_for_long(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 500)
