from __future__ import annotations

import threading

import pytest

from penstock.errors import NotConnected, ReaderInUse
from penstock.pipelines.source import hold as holding
from penstock.pipelines.source.hold import Hold
from penstock.pipelines.source.holder import this_process
from tests.pipelines.source.takings import MemoryTaking

DEAD = this_process().replace(")", "1)")


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "RETRY_IN", 0.01)
    monkeypatch.setattr(holding, "ENDING_IN", 0.05)
    monkeypatch.setattr(holding, "RENEW_IN", 0.3)


def in_use(holder: str, until: float = 10.0) -> ReaderInUse:
    return ReaderInUse(f"in use by {holder}", holder=holder, until=until)


class Contested(MemoryTaking):
    """Each who asks for the lease is told the next of these, until there are no more."""

    def __init__(self, *answers: ReaderInUse) -> None:
        super().__init__()
        self._answers = iter(answers)

    def lease(self, holder: str, seconds: float) -> None:
        self.held_by = next(self._answers, None)
        super().lease(holder, seconds)


def test_a_hold_is_leased_renewed_and_released() -> None:
    taking = MemoryTaking()
    hold = Hold(taking, lease=0.05)
    while len(taking.leases) < 3:
        threading.Event().wait(0.005)
    hold.check()
    hold.release()

    assert {holder for holder, _ in taking.leases} == {this_process()}
    assert taking.leases[-1] == (this_process(), 0)
    assert taking.is_closed


def test_the_dead_are_let_go_of_at_once() -> None:
    taking = MemoryTaking()
    taking.held_by = in_use(DEAD)

    Hold(taking).release()

    assert (DEAD, 0) in taking.leases


def test_one_that_renews_its_lease_is_alive_and_the_second_is_refused() -> None:
    taking = Contested(*[in_use("elsewhere", until=until) for until in (10.0, 10.0, 13.0)])

    with pytest.raises(ReaderInUse, match="in use by elsewhere"):
        Hold(taking, lease=1000.0)


def test_one_that_does_not_is_waited_for() -> None:
    taking = Contested(*[in_use("elsewhere")] * 3)

    Hold(taking).release()

    assert (this_process(), holding.LEASE_IN) in taking.leases


def test_a_process_of_this_machine_that_lives_is_not_waited_for_long() -> None:
    taking = MemoryTaking()
    taking.held_by = in_use(this_process())

    with pytest.raises(ReaderInUse):
        Hold(taking, lease=1000.0)


def test_a_lease_that_is_lost_is_told_at_the_next_look() -> None:
    taking = MemoryTaking()
    hold = Hold(taking, lease=0.05)
    taking.held_by = in_use("somebody")
    hold._thread.join()

    with pytest.raises(ReaderInUse, match="somebody"):
        hold.check()
    hold.release()


def test_a_broker_that_is_away_for_a_while_costs_no_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    taking = MemoryTaking()
    hold = Hold(taking, lease=0.05)
    asked = threading.Event()

    def away(_holder: str, _seconds: float) -> None:
        asked.set()
        raise NotConnected("away")

    with monkeypatch.context() as patch:
        patch.setattr(taking, "lease", away)
        assert asked.wait(60)
    hold.check()
    hold.release()
