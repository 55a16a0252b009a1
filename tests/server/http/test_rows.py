from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from penstock.broker.page import Page
from penstock.errors import StoreError
from penstock.server.http.rows import BATCH, rows_of
from penstock.store import Joined
from penstock.wire.arrow import FramedRows, friendly, read_stream
from penstock.wire.arrow.encoding import wire_batch
from tests.server.http.served import House

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.broker.page import Part


def batches(part: Part) -> list[FramedRows]:
    async def gather() -> list[FramedRows]:
        return [rows async for rows in rows_of(part, None)]  # type: ignore[arg-type]

    return asyncio.run(gather())


def table(part: Part) -> pa.Table:
    return pa.Table.from_batches([wire_batch(rows) for rows in batches(part)])


@pytest.mark.parametrize("size", [10, BATCH // 2], ids=["in one batch", "in several"])
def test_what_is_joined_is_the_same_as_row_by_row(size: int) -> None:
    contents = [bytes([number]) * size for number in range(7)]
    rows = [(at, content, "p", "d", 0, 1) for at, content in enumerate(contents, 101)]
    joined = Joined(range(101, 108), "p", "d", b"".join(contents), [size] * 7)
    came = [(101, 5.0), (104, 6.0)]
    one, other = table(Page(-100, came, rows)), table(Page(-100, came, joined))
    assert one.to_pylist() == other.to_pylist()
    assert [at.timestamp() for at in one["arrived"].to_pylist()] == [5.0] * 3 + [6.0] * 4
    assert [(row["position"], row["frames"]) for row in one.to_pylist()] == [*enumerate(contents, 1)]
    assert len(batches(Page(-100, came, joined))) == (1 if size == 10 else 4)


def test_row_by_row_it_is_told_what_was_in_hand_before() -> None:
    rows = [(1, b"a", "p", "d", 0, 1), (2, b"b", "p", "d", 1, 1)]
    assert table(Page(0, [(0, 5.0)], rows))["redelivered"].to_pylist() == [False, True]


def bodies(stream: bytes) -> list[bytes | None]:
    batches = read_stream(io.BytesIO(stream))
    return [body for batch in batches for body in friendly(batch, ["body"])["body"].to_pylist()]


def test_a_large_body_comes_from_its_file(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        house.fill("q", [b"small", b"L" * 300_000, b"s" * 200_000, b"last"])
        house.ask("PUT", "/api/readers/%2F/q/r")
        house.ask("POST", "/api/readers/%2F/q/r/take", {"rows": 9, "size": 1 << 30, "holder": ""})
        answer = house.ask("GET", "/api/readers/%2F/q/r/range?start=0&end=4")
        assert bodies(answer.body) == [b"small", b"L" * 300_000, b"s" * 200_000, b"last"]


def test_a_body_that_the_disk_has_lost_is_null(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def lost(_self: object) -> bytes:
        raise StoreError("the content is gone")

    monkeypatch.setattr("penstock.server.amqp.bodies.LargeBody.read", lost)
    with House() as house:
        house.fill("q", [b"small", b"L" * 300_000])
        house.ask("PUT", "/api/readers/%2F/q/r")
        house.ask("POST", "/api/readers/%2F/q/r/take", {"rows": 9, "size": 1 << 30, "holder": ""})
        answer = house.ask("GET", "/api/readers/%2F/q/r/range?start=0&end=2")
        assert bodies(answer.body) == [b"small", None]
    assert "the content is gone" in caplog.text
