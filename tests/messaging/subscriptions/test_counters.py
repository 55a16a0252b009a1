from __future__ import annotations

from penstock.messaging.subscriptions.counters import Counters


def test_times_are_summed_and_the_longest_is_kept() -> None:
    counters = Counters()
    for seconds in (0.5, 2.0, 1.0):
        counters.took(seconds, seconds * 10)
    assert (counters.waited_s, counters.longest_wait_s) == (3.5, 2.0)
    assert (counters.handled_s, counters.longest_handling_s) == (35.0, 20.0)
