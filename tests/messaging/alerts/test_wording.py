from __future__ import annotations

import json
from dataclasses import replace

from penstock.messaging.alerts.wording import LONGEST_TITLE, fields, lines, title
from tests.messaging.alerts.recording import PLAIN

SECRET = replace(
    PLAIN,
    subject="relay\nto amqp://app:sesame@host",
    text="cannot reach amqp://app:sesame@host",
    details={"url": "amqp://app:sesame@host", "attempts": 5, "last": None},
    is_critical=True,
)


def test_a_title_is_one_line() -> None:
    assert title(PLAIN) == "[penstock] exhausted: commons.Notifications"
    assert title(SECRET) == "[penstock] CRITICAL exhausted: relay to amqp://app:***@host"
    long = title(replace(PLAIN, subject="x" * 500))
    assert (len(long), long[-1]) == (LONGEST_TITLE, "…")


def test_a_person_reads_text_and_details() -> None:
    assert lines(PLAIN) == "3 messages are dead\n"
    assert lines(SECRET) == (
        "cannot reach amqp://app:***@host\n\nurl: amqp://app:***@host\nattempts: 5\nlast: None\n"
    )


def test_a_program_reads_fields() -> None:
    told = fields(SECRET)
    assert json.loads(json.dumps(told)) == told
    assert "sesame" not in str(told)
    assert told["details"] == {"url": "amqp://app:***@host", "attempts": 5, "last": None}
    assert (told["kind"], told["is_critical"]) == ("exhausted", True)
    assert told["text"] == f"{title(SECRET)}\n{lines(SECRET)}"
