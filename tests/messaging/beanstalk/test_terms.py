from __future__ import annotations

import pytest

from penstock.client.beanstalk import JobFacts
from penstock.messaging import Message
from penstock.messaging.beanstalk.terms import delay_of, headers_of, maybe_priority, priority_of, ttr_of
from penstock.workers.queues import amqp_priority


def message(**more: object) -> Message:
    return Message(body=b"", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("priority", "number", "back"),
    [(255, 0, 255), (4, 251, 4), (1, 254, 1), (0, 255, None), (None, 255, None)],
)
def test_the_higher_priority_is_the_lower_number(priority: int | None, number: int, back: int | None) -> None:
    assert priority_of(message(priority=priority)) == number
    assert maybe_priority(number) == back


def test_a_jobs_priorities_keep_their_order() -> None:
    numbers = [priority_of(message(priority=amqp_priority(priority))) for priority in range(10)]
    assert numbers == sorted(set(numbers))


def test_a_number_beyond_amqps_priorities_is_kept_in_a_header() -> None:
    told = headers_of(JobFacts(priority=2**32 - 1, ttr=120))
    assert told == {"x-beanstalk-priority": 2**32 - 1}
    assert maybe_priority(2**32 - 1) is None
    assert priority_of(message(headers=told)) == 2**32 - 1


@pytest.mark.parametrize(("delay", "seconds"), [(0.0, 0), (0.01, 1), (2.0, 2), (2.5, 3), (1e12, 2**32 - 1)])
def test_a_delay_is_whole_seconds_and_never_early(delay: float, seconds: int) -> None:
    assert delay_of(message(delay=delay)) == seconds


def test_the_time_to_run_is_a_header_where_it_is_not_the_usual() -> None:
    assert ttr_of(message()) == 120
    assert headers_of(JobFacts(ttr=120)) == {}
    assert headers_of(JobFacts(ttr=60)) == {"x-ttr": 60}
    assert ttr_of(message(headers={"x-ttr": 60})) == 60


def test_a_jobs_past_is_told() -> None:
    told = headers_of(JobFacts(ttr=120, reserves=5, releases=1, buries=1))
    assert told == {"x-acquired-count": 4, "x-delivery-count": 2}
