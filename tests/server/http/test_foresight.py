from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import StoreError
from penstock.server.http import foresight as module
from penstock.server.http.foresight import MOST, READERS, Foresight
from tests.server.http.served import House

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

READER: Any = "a reader"
MEBIBYTE = bytes(1 << 20)


class Disk:
    """Makes streams of a hundred mebibytes, and knows what it was asked for."""

    def __init__(self) -> None:
        self.made: list[tuple[int, int]] = []
        self.closed: list[tuple[int, int]] = []
        self.fails = False

    async def stream(self, start: int, end: int) -> AsyncGenerator[list[Any]]:
        try:
            for number in range(100):
                await asyncio.sleep(0)
                if self.fails:
                    raise StoreError("the disk is gone")
                self.made.append((start, end))
                yield [bytes([number]), MEBIBYTE]
        finally:
            self.closed.append((start, end))


async def calm() -> None:
    """Let everybody do what he can."""
    for _ in range(500):
        await asyncio.sleep(0)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


async def numbers(stream: AsyncGenerator[list[Any]]) -> list[int]:
    return [pieces[0][0] async for pieces in stream]


def test_what_is_expected_is_begun_within_limits_and_goes_on_when_it_is_wanted() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        foresight.expect(READER, [(0, 5), (5, 9)], disk.stream)
        await calm()
        each = MOST // 2 // (1 << 20)
        # One after the other: cores are for who is waited for.
        assert disk.made == [(0, 5)] * each + [(5, 9)] * each
        for span in ((5, 9), (0, 5)):
            assert await numbers(foresight.stream(READER, *span, disk.stream)) == list(range(100))
            assert disk.made.count(span) == 100
        await foresight.close()
        assert sorted(disk.closed) == [(0, 5), (5, 9)]

    run(work())


def test_it_may_be_wanted_at_any_moment() -> None:
    async def work(turns: int) -> None:
        disk, foresight = Disk(), Foresight()
        foresight.expect(READER, [(0, 5)], disk.stream)
        for _ in range(turns):
            await asyncio.sleep(0)
        assert await numbers(foresight.stream(READER, 0, 5, disk.stream)) == list(range(100))

    for turns in range(10):
        run(work(turns))


def test_what_nobody_expected_is_made_when_it_is_wanted() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        foresight.expect(READER, [(0, 5)], disk.stream)
        assert await numbers(foresight.stream(READER, 0, 4, disk.stream)) == list(range(100))
        await foresight.close()

    run(work())


def test_whoever_reads_now_comes_first() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        reading = foresight.stream(READER, 0, 5, disk.stream)
        async with aclosing(reading):
            await anext(reading)
            foresight.expect(READER, [(5, 9)], disk.stream)
            await calm()
            assert disk.made == [(0, 5)]
        await calm()
        assert (5, 9) in disk.made
        await foresight.close()

    run(work())


def test_what_nobody_wants_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_IN", 0.0)

    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        foresight.expect(READER, [(0, 5)], disk.stream)
        await calm()
        assert disk.closed == [(0, 5)]
        assert repr(foresight) == "<Foresight of 0 readers>"

    run(work())


def test_the_next_batch_is_begun_when_this_one_is_read() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        foresight.expect(READER, [(0, 5)], disk.stream)
        foresight.expect(READER, [(5, 9)], disk.stream)
        await calm()
        assert set(disk.made) == {(0, 5)}
        assert await numbers(foresight.stream(READER, 0, 5, disk.stream)) == list(range(100))
        await calm()
        assert (5, 9) in disk.made
        await foresight.close()

    run(work())


def test_of_three_batches_the_first_is_forgotten() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        for span in ((0, 5), (5, 9), (9, 12)):
            foresight.expect(READER, [span], disk.stream)
            await calm()
        assert disk.closed == [(0, 5)]
        await foresight.close()

    run(work())


def test_only_few_readers_have_something_in_memory() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        for number in range(READERS + 1):
            foresight.expect(f"reader {number}", [(number, number + 1)], disk.stream)  # type: ignore[arg-type]
        await calm()
        assert {start for start, _ in disk.made} == set(range(READERS))
        await foresight.close()

    run(work())


def test_a_disk_that_fails_meanwhile_fails_for_who_wants_it() -> None:
    async def work() -> None:
        disk, foresight = Disk(), Foresight()
        disk.fails = True
        foresight.expect(READER, [(0, 5), (5, 9)], disk.stream)
        await calm()
        with pytest.raises(StoreError, match="the disk is gone"):
            await numbers(foresight.stream(READER, 0, 5, disk.stream))
        await foresight.close()

    run(work())


def test_an_expected_range_is_the_same_to_its_reader() -> None:
    ask = "/api/readers/%2F/q/r/"
    with House() as house:
        house.fill("q", [b"%d" % number for number in range(1000)])
        house.ask("PUT", "/api/readers/%2F/q/r")
        house.ask("POST", ask + "take", {"rows": 1000, "size": 1 << 30, "holder": ""})
        read = partial(house.ask, "GET", ask + "range?start=3&end=900")
        plain = read()
        expected = house.ask("POST", ask + "expect", {"ranges": [[3, 900], [900, 1000]], "holder": ""})
        assert (expected.status, expected.json) == (200, {})
        assert read().body == plain.body
        assert len(plain.body) > 1000


@pytest.mark.parametrize(
    ("ranges", "status"),
    [([[0, 2000]], 416), ([[5, 1]], 400), ([[1]], 400), ([["a", "b"]], 400), ([[-1, 5]], 400), ("all", 400)],
)
def test_ranges_that_cannot_be_are_not_expected(ranges: object, status: int) -> None:
    with House() as house:
        house.fill("q", [b"x"] * 10)
        house.ask("PUT", "/api/readers/%2F/q/r")
        house.ask("POST", "/api/readers/%2F/q/r/take", {"rows": 10, "size": 1 << 30, "holder": ""})
        said = {"ranges": ranges, "holder": ""}
        assert house.ask("POST", "/api/readers/%2F/q/r/expect", said).status == status
