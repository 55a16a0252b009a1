from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from penstock.server.amqp.deaths import ERROR_HEADER, told, with_deaths
from penstock.wire.amqp import BasicProperties
from penstock.wiring import Death
from penstock.wiring.death import Reason

FIRST = Death(
    queue="work",
    reason=Reason.REJECTED,
    proxy="in",
    destinations=("key", "copy"),
    count=3,
    first_at=1000.7,
    last_at=2000.0,
)
LAST = replace(FIRST, queue="wait", reason=Reason.EXPIRED, destinations=("wait",), count=1, expires_in=1.5)


def headers(content: BasicProperties, *deaths: Death) -> dict[str, Any]:
    return dict(with_deaths(content, deaths).headers or {})


def test_deaths_are_told_the_latest_first() -> None:
    content = BasicProperties.of(headers={"mine": 1}, message_id="id", expiration="1500")
    letter = with_deaths(content, (LAST, FIRST))
    moment = datetime(1970, 1, 1, 0, 16, 40, tzinfo=UTC)
    assert letter.as_dict() == {
        "message_id": "id",
        "headers": {
            "mine": 1,
            "x-death": [
                {
                    "count": 1,
                    "reason": "expired",
                    "queue": "wait",
                    "time": moment,
                    "exchange": "in",
                    "routing-keys": ["wait"],
                    "original-expiration": "1500",
                },
                {
                    "count": 3,
                    "reason": "rejected",
                    "queue": "work",
                    "time": moment,
                    "exchange": "in",
                    "routing-keys": ["key", "copy"],
                },
            ],
            "x-first-death-exchange": "in",
            "x-first-death-queue": "work",
            "x-first-death-reason": "rejected",
            "x-last-death-exchange": "in",
            "x-last-death-queue": "wait",
            "x-last-death-reason": "expired",
        },
    }


def test_the_count_is_a_long_as_java_clients_take_it_to_be() -> None:
    assert b"\x05countl" + bytes(7) + b"\x03" in with_deaths(BasicProperties.of(), (FIRST,)).raw


def test_the_first_death_is_told_once_and_the_last_anew() -> None:
    letter = with_deaths(BasicProperties.of(), (FIRST,))
    again = headers(letter, LAST, FIRST)
    assert (again["x-first-death-queue"], again["x-last-death-queue"]) == ("work", "wait")
    assert len(again["x-death"]) == 2


def test_what_the_consumer_said_was_wrong_is_told() -> None:
    assert headers(BasicProperties.of(), replace(FIRST, error="no such user"))[ERROR_HEADER] == "no such user"
    assert ERROR_HEADER not in headers(BasicProperties.of(), FIRST)


def test_keys_that_nobody_may_know_are_not_told() -> None:
    secret = replace(FIRST, count=1, destinations=("key", "copy", "secret"))
    content = BasicProperties.of(headers={"CC": ["copy"]})
    (known,) = told((secret,), content)
    assert known.destinations == ("key", "copy")


def test_deaths_without_secrets_stay_as_they_are() -> None:
    content = BasicProperties.of(headers={"CC": ["copy"]})
    for deaths in [(replace(FIRST, count=1),), (FIRST,), (LAST, FIRST)]:
        assert told(deaths, content) is deaths
