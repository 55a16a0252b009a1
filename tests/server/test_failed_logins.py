from __future__ import annotations

import pytest

from penstock.server import failed_logins as module
from penstock.server.failed_logins import FailedLogins


def test_after_too_many_failures_an_address_is_over_until_its_window_ends() -> None:
    failed = FailedLogins(2, 60)
    failed.add("10.0.0.1", now=0)
    assert not failed.is_over("10.0.0.1", now=1)
    failed.add("10.0.0.1", now=30)
    assert failed.is_over("10.0.0.1", now=31)
    assert not failed.is_over("10.0.0.2", now=31)
    # More failures do not make the window longer
    failed.add("10.0.0.1", now=59)
    assert failed.is_over("10.0.0.1", now=59.9)
    assert not failed.is_over("10.0.0.1", now=60)
    assert len(failed) == 0


def test_without_a_limit_nobody_is_over() -> None:
    failed = FailedLogins(None, 60)
    for now in range(50):
        failed.add("10.0.0.1", now)
    assert not failed.is_over("10.0.0.1", now=50)


def test_the_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ADDRESSES", 10)
    failed = FailedLogins(1, 60)
    for number in range(100):
        failed.add(f"10.0.0.{number}", now=0)
    assert len(failed) == 10
    assert failed.is_over("10.0.0.99", now=1)
    assert not failed.is_over("10.0.0.0", now=1)


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),  # one customer's own 64 bits
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("", "", True),  # a Unix socket
    ],
)
def test_addresses_of_one_network_are_counted_together(first: str, second: str, are_one: bool) -> None:  # noqa: FBT001  a column
    failed = FailedLogins(1, 60)
    failed.add(first, now=0)
    assert failed.is_over(second, now=0) is are_one
