"""Alarms: when publishers stop, and when they go on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.broker import alarms as module
from penstock.broker.alarms import Alarms, Gauges, total_memory
from penstock.errors import StoreFull

if TYPE_CHECKING:
    from collections.abc import Callable


class Told(Gauges):
    """Gauges that show what they are told."""

    def __init__(self) -> None:
        super().__init__()
        self.used = 50
        #: Kept by the allocator, until it is asked.
        self.kept = 0
        self.free: int | None = 500

    def memory(self) -> int:
        return self.used + self.kept

    def disk_free(self) -> int | None:
        return self.free

    def give_back(self) -> None:
        self.kept = 0


@pytest.fixture
def gauges() -> Told:
    return Told()


@pytest.fixture
def heard() -> list[str | None]:
    return []


@pytest.fixture
def alarms(gauges: Told, heard: list[str | None]) -> Alarms:
    made = Alarms(gauges, memory_limit=100, disk_free_limit=200)
    made.on_change = heard.append
    return made


def at(gauges: Told, **shown: int | None) -> None:
    for name, value in shown.items():
        setattr(gauges, name, value)


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ({"used": 100}, None),
        ({"used": 101}, "low on memory"),
        ({"kept": 101}, None),
        ({"free": 200}, None),
        ({"free": 199}, "low on disk"),
        ({"free": None}, None),
        ({"used": 101, "free": 0}, "low on memory & disk"),
    ],
)
def test_what_is_short_is_told_once_and_once_when_it_is_over(
    alarms: Alarms, gauges: Told, heard: list[str | None], shown: dict[str, int | None], reason: str | None
) -> None:
    at(gauges, **shown)
    alarms.check()
    alarms.check()
    assert (alarms.reason, heard) == (reason, [reason] if reason else [])
    at(gauges, used=0, kept=0, free=1000)
    alarms.check()
    alarms.check()
    assert (alarms.reason, heard) == (None, [reason, None] if reason else [])


def test_another_reason_is_told_too(alarms: Alarms, gauges: Told, heard: list[str | None]) -> None:
    for shown in ({"used": 200}, {"free": 0}, {"used": 0}, {"free": 500}):
        at(gauges, **shown)
        alarms.check()
    assert heard == ["low on memory", "low on memory & disk", "low on disk", None]


def test_a_store_that_cannot_be_written_is_low_on_disk_until_it_can(
    alarms: Alarms, heard: list[str | None]
) -> None:
    alarms.trouble(StoreFull("no room"))
    alarms.check()
    alarms.trouble(None)
    assert heard == ["low on disk", None]
    assert repr(alarms) == "<Alarms: all is well>"


def test_it_is_looked_at_again_and_again(
    alarms: Alarms, gauges: Told, heard: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "APART", 0.0)

    async def until(met: Callable[[], bool]) -> None:
        for _ in range(1000):
            await asyncio.sleep(0)
            if met():
                return
        raise AssertionError("nobody looked")

    async def story() -> None:
        alarms.stop()  # before it began is no mistake
        others: list[str] = []
        alarms.on_look = lambda: others.append("looked")
        alarms.start()
        await until(lambda: len(others) > 1)
        gauges.used = 101
        await until(lambda: bool(heard))
        gauges.used = 99
        await until(lambda: len(heard) == 2)
        alarms.stop()
        gauges.used = 101
        for _ in range(5):
            await asyncio.sleep(0)

    asyncio.run(story())
    assert heard == ["low on memory", None]


# The real gauges


def test_this_process_uses_memory_and_its_disk_has_room(tmp_path: Path) -> None:
    gauges = Gauges(tmp_path)
    free = gauges.disk_free()
    assert free is not None
    assert (gauges.memory() > 1_000_000, free >= 0) == (True, True)
    gauges.give_back()


def test_what_cannot_be_asked_is_no_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Gauges().disk_free() is None
    assert Gauges(tmp_path / "gone").disk_free() is None
    monkeypatch.setattr(Path, "read_text", _missing)
    assert Gauges().memory() == 0
    assert total_memory() > 0


def _missing(path: Path) -> str:
    raise FileNotFoundError(path)


@pytest.mark.parametrize(("limit", "counts"), [("1000\n", True), ("max\n", False)])
def test_a_container_may_have_less_than_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, *, counts: bool
) -> None:
    monkeypatch.setattr(module, "CGROUPS", (str(tmp_path / "missing"), str(tmp_path / "limit")))
    (tmp_path / "limit").write_text(limit)
    assert (total_memory() == 1000) is counts
