from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest

from penstock.broker.page import Taken
from penstock.errors import ArrowMissing, StoreError
from penstock.server.amqp.message import AmqpMessage
from penstock.server.http import ranges, rows
from penstock.server.http.ranges import FIRST, MOST, range_batches
from penstock.server.http.rows import BATCH
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wire.arrow import read_stream
from penstock.wiring import PLAIN
from tests.server.http.served import House

EMPTY = BasicProperties.of()
ROUTE = PublishArgs("", "q")


class Shelf:
    """A reader that has taken bodies of these sizes."""

    def __init__(self, *sizes: int) -> None:
        contents = [content_frames(1, EMPTY, bytes(size), 4096) for size in sizes]
        messages = [AmqpMessage(ROUTE, EMPTY, frames, PLAIN) for frames in contents]
        self.taken = [
            Taken(number, message, redelivered=False, arrived_at=0.0)
            for number, message in enumerate(messages, 1)
        ]
        self.asked: list[int] = []

    async def read(self, start: int, end: int, _front: int) -> list[list[Taken]]:
        self.asked.append(end - start)
        return [[each for each in self.taken if start < each.position <= end]]


def read(shelf: Any, end: int) -> list[list[int]]:
    """The positions in each batch."""

    async def gather() -> bytes:
        pieces = [piece async for some in range_batches(shelf, 0, end, None) for piece in some]  # type: ignore[arg-type]
        return b"".join(pieces)

    stream = io.BytesIO(asyncio.run(gather()))
    return [batch["position"].to_pylist() for batch in read_stream(stream)]


def test_small_messages_fill_batches_that_grow_to_the_most() -> None:
    shelf = Shelf(*[10] * 20_000)
    batches = read(shelf, 20_000)
    assert [position for batch in batches for position in batch] == list(range(1, 20_001))
    assert shelf.asked[:5] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST, 16 * FIRST]
    assert max(shelf.asked) == MOST


def test_messages_of_a_kilobyte_fill_batches_of_the_right_size() -> None:
    shelf = Shelf(*[1024] * 10_000)
    read(shelf, 10_000)
    assert max(shelf.asked) == BATCH // 1024


def test_messages_larger_than_expected_are_cut_into_batches() -> None:
    some, more = BATCH * 2 // 5, BATCH * 2
    batches = read(Shelf(*[some] * 5, 10, *[more] * 2, 10), 9)
    assert batches == [[1, 2], [3, 4], [5, 6], [7], [8], [9]]


def test_positions_that_a_restart_left_empty_are_passed_over() -> None:
    shelf = Shelf(*[10] * 600)
    del shelf.taken[:300], shelf.taken[200:]
    assert [position for batch in read(shelf, 600) for position in batch] == list(range(301, 501))


def test_a_range_that_breaks_in_the_middle_ends_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_taken: object, _bodies: object) -> Any:
        raise StoreError("the store is gone")

    with House() as house:
        house.fill("q", [b"x"])
        house.ask("PUT", "/api/readers/%2F/q/r")
        house.ask("POST", "/api/readers/%2F/q/r/take", {"rows": 9, "size": 1 << 30, "holder": ""})
        monkeypatch.setattr(rows, "_taken", broken)
        with pytest.raises(Exception, match=r"IncompleteRead|reset"):
            house.ask("GET", "/api/readers/%2F/q/r/range?start=0&end=1")


def test_a_mistake_of_ours_in_the_middle_of_a_range_ends_its_connection(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def mistaken(_taken: object, _bodies: object) -> Any:
        raise ZeroDivisionError

    with House() as house:
        house.fill("q", [b"x"])
        house.ask("PUT", "/api/readers/%2F/q/r")
        house.ask("POST", "/api/readers/%2F/q/r/take", {"rows": 9, "size": 1 << 30, "holder": ""})
        monkeypatch.setattr(rows, "_taken", mistaken)
        with pytest.raises(Exception, match=r"IncompleteRead|reset"):
            house.ask("GET", "/api/readers/%2F/q/r/range?start=0&end=1")
        assert "internal error" in caplog.text
        assert house.ask("GET", "/api/readers/%2F/q/r").status == 200


def test_a_broker_without_pyarrow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_kind: object) -> Any:
        raise ArrowMissing("queues as tables need pyarrow")

    with House() as house:
        house.fill("q", [b"x"])
        house.ask("PUT", "/api/readers/%2F/q/r")
        monkeypatch.setattr(ranges, "RangeEncoder", missing)
        answer = house.ask("GET", "/api/readers/%2F/q/r/range?start=0&end=0")
        assert (answer.status, answer.json["kind"]) == (501, "ArrowMissing")
