"""What a worker tells of itself, written and read."""

from __future__ import annotations

import msgspec
import pytest

from penstock.messaging.presence import GONE_AFTER, AtWork, Presence, message_of, read

JOB = AtWork(id="1", route="map", queue="work", attempt=1, started_at=5.0, progress={"tiles": 3})
TOLD = Presence(
    name="w", host="h", pid=1, started_at=0.0, queues=["work"], done=1, failed=0, jobs=[JOB], is_leaving=False
)


def test_what_was_told_is_read() -> None:
    message = message_of(TOLD)
    assert read(message.body) == TOLD
    assert (message.durable, message.expires_in) == (False, GONE_AFTER)


def test_what_a_handler_reported_may_be_anything() -> None:
    job = AtWork(id="1", route="map", queue="work", attempt=1, started_at=5.0, progress=object())
    told = read(message_of(msgspec.structs.replace(TOLD, jobs=[job])).body)
    assert told is not None
    assert "object" in told.jobs[0].progress


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b"[1]", b'{"name": 3}', b'{"x":' + b"[" * 100_000])
def test_what_is_no_workers_is_passed_over(body: bytes) -> None:
    assert read(body) is None
