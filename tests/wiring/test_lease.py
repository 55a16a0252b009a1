"""A lease: one holder at a time, for a while."""

from __future__ import annotations

import pytest

from penstock.errors import ReaderInUse
from penstock.wiring.lease import Lease


def held() -> Lease:
    lease = Lease()
    lease.grant("it", "anna", 10.0, 100.0)
    return lease


def test_another_is_told_who_holds_it_and_how_long() -> None:
    with pytest.raises(ReaderInUse, match=r"^it is in use by 'anna', for another 4\.0 s at least") as caught:
        held().grant("it", "bert", 10.0, 106.0)
    assert (caught.value.holder, caught.value.until) == ("anna", 110.0)


def test_its_holder_may_have_it_longer() -> None:
    lease = held()
    lease.grant("it", "anna", 10.0, 106.0)
    with pytest.raises(ReaderInUse):
        lease.grant("it", "bert", 10.0, 115.0)


def test_when_it_has_run_out_another_may_have_it() -> None:
    lease = held()
    lease.grant("it", "bert", 10.0, 110.0)
    assert repr(lease) == "<Lease of 'bert' until 120.0>"


def test_no_time_at_all_gives_it_up() -> None:
    lease = held()
    lease.grant("it", "anna", 0.0, 101.0)
    lease.grant("it", "bert", 10.0, 101.0)
