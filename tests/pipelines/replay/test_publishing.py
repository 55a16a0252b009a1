"""Pages to a broker: real ones, and one that fails on purpose."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Queue, connect, sync
from penstock.clock import SystemClock
from penstock.errors import NotConnected, PipelineError, PublishRefused, Unroutable
from penstock.pipelines.event_log.events import MESSAGE_COLUMNS
from penstock.pipelines.replay.progress import Mark, ProgressFile
from penstock.pipelines.replay.publishing import publish
from penstock.pipelines.replay.selection import Selection
from tests.pipelines.event_log.rows import message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.servers.running import Running


def page(*numbers: int, **more: Any) -> list[tuple[Mark, dict[str, Any]]]:
    made = [(number, message(number, **more)) for number in numbers]
    return [
        (Mark(number, row["message_id"], 0), {name: row.get(name) for name in MESSAGE_COLUMNS})
        for number, row in made
    ]


@pytest.fixture
def file(tmp_path: Path) -> ProgressFile:
    return ProgressFile(tmp_path, Selection())


def test_pages_are_published_confirmed_and_noted(
    penstock_server: Running, name: str, file: ProgressFile
) -> None:
    async def story() -> None:
        async with await connect(penstock_server.url) as client:
            with pytest.raises(NotConnected, match=f"there is no queue {name} to replay to"):
                await publish([page(1)], client, file=file, queue=name)
            await client.declare(Queue(name))
            told: list[int] = []
            done = await publish(
                [page(1, 2), page(3)],
                client,
                file=file,
                queue=name,
                on_progress=lambda each: told.append(each.published),
            )
            assert (done.published, told) == (3, [2, 3])
            assert file.read() == done
            found = []
            while delivery := await client.get(name):
                found.append(delivery.properties.as_dict()["message_id"])
                delivery.ack()
            assert found == ["m1", "m2", "m3"]
            # What no queue takes stops the replay, or is passed over.
            with pytest.raises(
                PipelineError, match=r"OrderPlaced m4 could not be published: .*--skip-unroutable"
            ):
                await publish([page(4, exchange="", routing_key=f"{name}-gone")], client, file=file)
            assert file.read() == done
            done = await publish(
                [page(4, exchange="", routing_key=f"{name}-gone")],
                client,
                file=file,
                skip_unroutable=True,
                rate=1000,
            )
            assert (done.published, done.skipped) == (3, 1)

    asyncio.run(story())


class Failing:
    """A client whose broker refuses what it is told to."""

    def __init__(self, *errors: Exception | None) -> None:
        self.errors = list(errors)
        self.clock = SystemClock()

    async def publish_many(self, messages: Sequence[Any]) -> list[Exception | None]:
        if isinstance(self.errors[0], NotConnected):
            raise self.errors[0]
        return self.errors[: len(messages)]


@pytest.mark.parametrize(
    ("errors", "done"),
    [
        ([None, PublishRefused("full"), None], 1),
        ([None, None, Unroutable("nobody")], 2),
        ([NotConnected("gone")], 0),
    ],
)
def test_a_failure_is_told_and_what_was_confirmed_before_it_is_noted(
    file: ProgressFile, errors: list[Exception | None], done: int
) -> None:
    client: Any = Failing(*errors)
    with pytest.raises(PipelineError, match=f"{done} were; the same command goes on from there"):
        asyncio.run(publish([page(1, 2, 3)], client, file=file))
    assert file.read().published == done


#: Five pages of two, in a process that is killed when the third is confirmed and not noted yet.
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from penstock.client import connect
from penstock.pipelines.replay.progress import ProgressFile
from penstock.pipelines.replay.publishing import publish
from penstock.pipelines.replay.selection import Selection
from tests.pipelines.replay.test_publishing import page

url, queue, folder, written = sys.argv[1:]

class Killed(ProgressFile):
    left = int(written)
    def write(self, progress):
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        super().write(progress)

async def main():
    file = Killed(Path(folder), Selection())
    done = file.read().published
    pages = [page(number, number + 1) for number in range(done, 10, 2)]
    async with await connect(url) as client:
        await publish(pages, client, file=file, queue=queue)

asyncio.run(main())
"""


def test_a_replay_that_is_killed_goes_on_with_at_most_a_page_twice(
    penstock_server: Running, name: str, tmp_path: Path
) -> None:
    def replayed(written: int) -> int:
        command = [sys.executable, "-c", KILLED, penstock_server.url, name, str(tmp_path), str(written)]
        return subprocess.run(command, check=False).returncode

    with sync.connect(penstock_server.url) as client:
        client.declare(Queue(name))
        assert replayed(2) == -signal.SIGKILL
        assert replayed(99) == 0
        found = []
        while delivery := client.get(name):
            found.append(delivery.properties.as_dict()["message_id"])
            delivery.ack()
    assert found == [f"m{number}" for number in (0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9)]
