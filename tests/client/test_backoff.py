from __future__ import annotations

import random

import pytest

from penstock.client import ClientSettings
from penstock.client.backoff import Backoff


def test_without_chance_the_waits_double_up_to_the_limit() -> None:
    settings = ClientSettings(backoff_initial=1, backoff_multiplier=2, backoff_max=5, backoff_jitter=0)
    backoff = Backoff(settings)
    assert [backoff.next() for _ in range(5)] == [1, 2, 4, 5, 5]
    assert repr(backoff) == "<Backoff after 5 attempts>"
    backoff.reset()
    assert backoff.next() == 1


def test_chance_only_shortens_a_wait() -> None:
    settings = ClientSettings(backoff_initial=10, backoff_max=10, backoff_jitter=0.5)
    backoff = Backoff(settings, random.Random(1))
    waits = [backoff.next() for _ in range(200)]
    assert 5 <= min(waits) < 5.5
    assert 9.5 < max(waits) <= 10


def test_after_days_of_attempts_it_still_counts() -> None:
    backoff = Backoff(ClientSettings(backoff_max=5, backoff_jitter=0))
    backoff.attempts = 1_000_000
    assert backoff.next() == pytest.approx(5)
