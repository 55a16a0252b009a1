from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadSetting
from penstock.messaging.redelivery import RedeliveryPolicy
from penstock.messaging.settings import MessagingSettings


def waits(policy: RedeliveryPolicy, count: int) -> list[float]:
    return [round(policy.interval(n), 4) for n in range(count)]


def test_the_seeds_defaults_wait_as_its_code_does() -> None:
    expected = [0, 2, 3, 4.5, 6.75, 10.125, 15.1875, 22.7812, 30, 30, 30]
    assert waits(RedeliveryPolicy(), 11) == expected


def test_the_seeds_text_multiplies_the_first_wait_too() -> None:
    policy = RedeliveryPolicy(first_wait_multiplied=True)
    assert waits(policy, 8) == [0, 3, 4.5, 6.75, 10.125, 15.1875, 22.7812, 30]


def test_a_message_that_always_fails_is_tried_for_seven_minutes() -> None:
    policy = RedeliveryPolicy()
    assert sum(policy.interval(n) for n in range(policy.max_attempts)) == pytest.approx(424.3, abs=0.1)


def test_the_settings_have_the_seeds_names() -> None:
    settings = MessagingSettings.from_environment(
        {
            "MQ_REDELIVERY_MAX_ATTEMPTS": "7",
            "MQ_REDELIVERY_INITIAL_INTERVAL": "500ms",
            "MQ_REDELIVERY_MULTIPLIER": "2",
            "MQ_REDELIVERY_MAX_INTERVAL": "1m",
        }
    )
    expected = RedeliveryPolicy(max_attempts=7, initial_interval=0.5, multiplier=2, max_interval=60)
    assert RedeliveryPolicy.from_settings(settings) == expected
    assert RedeliveryPolicy.from_settings(MessagingSettings()) == RedeliveryPolicy()
    multiplied = MessagingSettings(mq_redelivery_first_wait="multiplied")
    assert RedeliveryPolicy.from_settings(multiplied).first_wait_multiplied


@pytest.mark.parametrize(
    "given",
    [
        {"max_attempts": -1},
        {"initial_interval": -0.1},
        {"multiplier": 0.9},
        {"multiplier": float("nan")},
        {"max_interval": float("inf")},
    ],
)
def test_what_cannot_be_is_told_by_the_seeds_name(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(BadSetting) as caught:
        RedeliveryPolicy(**given)
    assert caught.value.setting == f"mq-redelivery-{name.replace('_', '-')}"


@given(
    st.builds(
        RedeliveryPolicy,
        initial_interval=st.floats(0, 100),
        multiplier=st.floats(1, 10),
        max_interval=st.floats(0, 1000),
        first_wait_multiplied=st.booleans(),
    ),
    st.integers(1, 5000),
)
def test_waits_never_shrink_and_never_exceed_the_longest(policy: RedeliveryPolicy, n: int) -> None:
    assert 0 <= policy.interval(n) <= policy.interval(n + 1) <= policy.max_interval
