from __future__ import annotations

import asyncio

import pytest

from penstock.testing import crash_points
from penstock.testing.crash_points import Crash, crash_after, crash_before


class Service:
    """Does three things, and tells which it has done."""

    done: list[str]

    def __init__(self) -> None:
        self.done = []

    def first(self, word: str) -> str:
        self.done.append(word)
        return word

    async def second(self, word: str) -> str:
        await asyncio.sleep(0)
        self.done.append(word)
        return word

    @classmethod
    def shared(cls) -> str:
        return cls.__name__

    @staticmethod
    def alone() -> int:
        return 1


def test_a_crash_before_a_call_keeps_it_from_being_done() -> None:
    service = Service()
    with crash_before(Service, "first", nth=2):
        assert service.first("a") == "a"
        with pytest.raises(Crash, match=r"before call 2 of <function Service\.first"):
            service.first("b")
        assert service.first("c") == "c"
    assert service.first("d") == "d"
    assert service.done == ["a", "c", "d"]


def test_a_crash_after_a_call_keeps_its_answer_from_being_heard() -> None:
    service = Service()
    with crash_after(Service, "first"), pytest.raises(Crash, match="after call 1"):
        service.first("a")
    assert service.done == ["a"]


@pytest.mark.parametrize(("crash", "done"), [(crash_before, []), (crash_after, ["a"])])
def test_what_is_awaited_crashes_too(crash: object, done: list[str]) -> None:
    service = Service()

    async def story() -> None:
        with crash(Service, "second"):  # type: ignore[operator]
            with pytest.raises(Crash):
                await service.second("a")
            assert await service.second("b") == "b"

    asyncio.run(story())
    assert service.done == [*done, "b"]


def test_one_object_can_crash_and_the_others_go_on() -> None:
    service, other = Service(), Service()
    with crash_before(service, "first"):
        assert other.first("a") == "a"
        with pytest.raises(Crash):
            service.first("a")
    assert "first" not in vars(service)
    assert service.first("a") == "a"


def test_methods_of_a_class_and_functions_of_a_module_crash_too() -> None:
    with crash_before(Service, "shared", nth=2):
        assert Service().shared() == "Service"
        with pytest.raises(Crash):
            Service.shared()
    with crash_before(Service, "alone"), pytest.raises(Crash):
        Service().alone()
    assert (Service().shared(), Service().alone()) == ("Service", 1)
    with crash_before(crash_points, "crash_after"), pytest.raises(Crash):
        crash_points.crash_after(Service, "first")
    assert crash_points.crash_after is crash_after


def test_nobody_handles_a_crash_by_mistake() -> None:
    assert not issubclass(Crash, Exception)
