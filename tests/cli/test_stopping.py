from __future__ import annotations

import signal

import pytest

from penstock.cli.stopping import ASKING, stopping


@pytest.mark.parametrize("number", ASKING)
def test_a_signal_stops_what_runs_and_means_afterwards_what_it_meant(number: signal.Signals) -> None:
    asked: list[str] = []
    before = signal.getsignal(number)
    with stopping(*ASKING) as on_signals:
        assert signal.getsignal(number) == before
        on_signals(lambda: asked.append("stop"))
        signal.raise_signal(number)
        signal.raise_signal(number)
    assert (asked, signal.getsignal(number)) == (["stop", "stop"], before)


def test_signals_are_given_back_if_something_goes_wrong() -> None:
    before = [signal.getsignal(number) for number in ASKING]

    def fail() -> None:
        with stopping(*ASKING) as on_signals:
            on_signals(int)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [signal.getsignal(number) for number in ASKING] == before
