from __future__ import annotations

from penstock.wire.amqp.limits import Limits


def test_zero_is_no_limit() -> None:
    limits = Limits(channel_max=0, body_max=0)
    assert limits.channel_max == 65_535
    assert limits.body_max > 2**63


def test_what_is_given_is_kept() -> None:
    assert Limits(channel_max=5, body_max=7).channel_max == 5
