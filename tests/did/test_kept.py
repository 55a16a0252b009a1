from __future__ import annotations

import pytest

from penstock.clock import VirtualClock
from penstock.did.kept import Kept
from penstock.errors import Unavailable


def test_a_thing_is_fetched_once_and_again_when_it_is_old() -> None:
    clock = VirtualClock()
    asked: list[str] = []

    def fetch(name: str) -> int:
        asked.append(name)
        return len(asked)

    kept = Kept(fetch, clock, seconds=10)
    assert (kept.get("a"), kept.get("a"), kept.get("b")) == (1, 1, 2)
    clock.advance(9.9)
    assert kept.get("a") == 1
    clock.advance(0.1)
    assert not kept.has("a")
    assert kept.get("a") == 3
    assert kept.has("a")
    assert asked == ["a", "b", "a"]


def test_the_oldest_make_room() -> None:
    asked: list[str] = []
    kept = Kept(asked.append, VirtualClock(), seconds=10, most=2)
    for name in ("a", "b", "c", "b", "a"):
        kept.get(name)
    assert asked == ["a", "b", "c", "a"]
    assert len(kept) == 2


@pytest.mark.parametrize(("error", "times"), [(Unavailable("away"), 1), (RuntimeError("a mistake"), 3)])
def test_a_failure_is_kept_for_its_own_while(error: Exception, times: int) -> None:
    clock = VirtualClock()
    asked: list[str] = []

    def fail(name: str) -> None:
        # It takes longer to fail than things are believed.
        clock.advance(20)
        asked.append(name)
        raise error

    kept = Kept(fail, clock, seconds=10, failed_seconds=5)
    for _ in range(3):
        with pytest.raises(type(error), match=str(error)):
            kept.get("a")
    assert len(asked) == times
    clock.advance(5)
    with pytest.raises(type(error)):
        kept.get("a")
    assert len(asked) == times + 1


def test_what_fails_is_asked_again() -> None:
    asked: list[str] = []

    def fail(name: str) -> None:
        asked.append(name)
        raise Unavailable(name)

    kept = Kept(fail, VirtualClock(), seconds=10)
    for _ in range(2):
        with pytest.raises(Unavailable):
            kept.get("a")
    assert asked == ["a", "a"]
    # It takes no room of what is there.
    assert len(kept) == 0
