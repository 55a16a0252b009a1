from __future__ import annotations

import pytest

from penstock.clock import VirtualClock
from penstock.errors import NotConnected
from penstock.pipelines.source import patience as patiences
from penstock.pipelines.source.patience import Patience


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patiences, "AGAIN_IN", 0.0)


def test_a_broker_that_comes_back_in_time_is_waited_for() -> None:
    clock = VirtualClock()
    patience = Patience(clock, away=10.0)
    for _ in range(3):
        patience.lose(NotConnected("away"))
        clock.advance(9.0)
        patience.renew()


def test_one_that_does_not_is_told_of() -> None:
    clock = VirtualClock()
    patience = Patience(clock, away=10.0)
    patience.lose(NotConnected("away"))
    clock.advance(9.0)
    patience.lose(NotConnected("still away"))
    clock.advance(2.0)

    with pytest.raises(NotConnected, match="for good"):
        patience.lose(NotConnected("for good"))
    assert repr(patience) == "<Patience of 10.0 s, waiting>"
