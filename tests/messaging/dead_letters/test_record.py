from __future__ import annotations

from dataclasses import replace

from penstock.messaging.dead_letters.record import group_of
from penstock.wiring.selector import parse
from tests.messaging.dead_letters.making import FAILED


def test_a_group_is_consumer_error_and_type() -> None:
    same = replace(FAILED, message_id="m2", error="no thread 18", attempts=9, last_failure=999.0)
    assert same.group == FAILED.group
    assert len(FAILED.group) == 12
    others = [
        replace(FAILED, consumer="other"),
        replace(FAILED, type="ThreadDeleted"),
        replace(FAILED, error="another"),
        replace(FAILED, error_class="builtins.ValueError"),
    ]
    assert len({other.group for other in (*others, FAILED)}) == 5
    assert group_of("a", "b", "c") != group_of("ab", "", "c")


def test_a_selector_may_ask_about_everything() -> None:
    for statement in (
        "consumer = 'commons.Notifications' AND type LIKE 'Thread%' AND version = 2",
        "attempts > 2 AND redriven = 0 AND state = 'dead' AND size = 9",
        "error LIKE 'no thread%' AND error_class = 'builtins.LookupError' AND reason = 'failed'",
        "first_failure < last_failure AND last_failure >= 110",
        "region = 'eu' AND exchange = 'commons' AND key = 'ThreadCreated' AND queue IS NOT NULL",
        "correlation_id IS NULL AND priority IS NULL AND content_type = 'application/json'",
        "message_id IN ('m1', 'm2')",
    ):
        assert parse(statement).matches(FAILED.properties), statement


def test_a_header_cannot_pass_for_what_is_written_down() -> None:
    liar = replace(FAILED, headers={"consumer": "somebody else", "attempts": 99})
    assert (liar.properties["consumer"], liar.properties["attempts"]) == ("commons.Notifications", 3)
