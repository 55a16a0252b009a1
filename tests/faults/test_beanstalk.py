"""kill -9 while jobs come in and go out: what a client was told is so afterwards."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tests.conversations.beanstalk import Line
from tests.faults.broker import FaultyBroker
from tests.servers.running import HOST, Running, free_port

if TYPE_CHECKING:
    from pathlib import Path

#: Jobs said in one go, and after how many of these the broker is killed.
AT_ONCE, ROUNDS = 200, 5


def test_every_job_that_was_inserted_is_there_and_none_that_was_deleted(tmp_path: Path) -> None:
    port = free_port()
    told: list[int] = []
    deleted: list[int] = []
    with FaultyBroker(tmp_path, "--beanstalk", f"{HOST}:{port}") as broker:
        server = Running(name="penstock", port=port, processes=broker.start().processes)
        line = Line(server)
        for _ in range(ROUNDS):
            line.send(b"".join(b"put 5 0 60 4\r\n%04d\r\n" % number for number in range(AT_ONCE)))
            numbers = [int(line.hear().removeprefix("INSERTED ")) for _ in range(AT_ONCE)]
            told += numbers
            line.send(b"".join(b"delete %d\r\n" % number for number in numbers[::3]))
            assert {line.hear() for _ in numbers[::3]} == {"DELETED"}
            deleted += numbers[::3]
        # Some are on their way when it dies.
        line.send(b"put 5 0 60 4\r\nlast\r\n" * 5000)
        told.append(int(line.hear().removeprefix("INSERTED ")))
        broker.kill()
        with suppress(OSError, ValueError):
            while heard := line.hear():
                told.append(int(heard.removeprefix("INSERTED ")))
        line.close()
        broker.start()
        line = Line(server)
        line.send(b"".join(b"peek %d\r\n" % number for number in told))
        there = [line.hear().startswith("FOUND") for _ in told]
        assert [number for number, is_there in zip(told, there, strict=True) if is_there] == [
            number for number in told if number not in set(deleted)
        ]
        # Ids go on after all that were given.
        line.send(b"put 5 0 60 1\r\nx\r\n")
        assert int(line.hear().removeprefix("INSERTED ")) > max(told)
        line.close()
