from __future__ import annotations

from penstock.messaging import Destination, Message
from penstock.messaging.subscriptions.copies import dead_copy, forwarded_copy, maybe_expires_at, retried_copy
from tests.messaging.subscriptions.failures import failure

ORIGIN = Destination("shop", "Bill.eu")


def fail(text: str) -> None:
    raise ValueError(text)


def raised(text: str) -> Exception:
    try:
        fail(text)
    except ValueError as error:
        return error
    raise AssertionError


def test_a_retried_copy_is_the_same_message_with_what_is_known_of_the_failure() -> None:
    message = Message(
        body=b"{}",
        id="m1",
        type="Bill",
        priority=3,
        headers={"mine": 1, "x-death": [], "x-delay": 5, "x-penstock-reason": "before"},
    )
    copy = retried_copy(failure(2, raised("no such customer " + "!" * 2000), message=message), ORIGIN, 4.5)
    assert (copy.id, copy.type, copy.body, copy.priority, copy.delay) == ("m1", "Bill", b"{}", 3, 4.5)
    trace = copy.headers["x-penstock-trace"]
    assert trace.startswith("Traceback")
    assert "in fail" in trace
    assert {name: value for name, value in copy.headers.items() if name != "x-penstock-trace"} == {
        "mine": 1,
        "x-penstock-attempts": 2,
        "x-penstock-consumer": "shop.bills",
        "x-penstock-queue": "shop.bills",
        "x-penstock-error": "no such customer " + "!" * 1007,
        "x-penstock-error-class": "builtins.ValueError",
        "x-penstock-first-failure": "1000.000",
        "x-penstock-last-failure": "1000.000",
        "x-penstock-exchange": "shop",
        "x-penstock-key": "Bill.eu",
    }


def test_all_that_is_said_of_an_error_fits_a_frame() -> None:
    copy = dead_copy(failure(1, raised("x" * 1_000_000)), ORIGIN, "why")
    assert sum(len(str(value)) for value in copy.headers.values()) < 10_000


def test_a_dead_copy_is_kept_for_good() -> None:
    message = Message(body=b"{}", id="m1", expires_in=5, delay=3, durable=False, timestamp=10.0)
    copy = dead_copy(failure(message=message), ORIGIN, "it is no good")
    assert (copy.id, copy.expires_in, copy.delay, copy.durable) == ("m1", None, 0.0, True)
    assert copy.headers["x-penstock-reason"] == "it is no good"
    assert copy.timestamp == 10.0


def test_a_time_to_live_counts_from_when_the_message_was_made_however_often_it_is_copied() -> None:
    message = Message(body=b"", expires_in=100, timestamp=950.0)
    first = retried_copy(failure(message=message, at=1000.0), ORIGIN, 10)
    assert first.expires_in == 40
    assert first.headers["x-penstock-expires-at"] == "1050.000"
    second = forwarded_copy(failure(message=first, at=1030.0), ORIGIN)
    assert (second.expires_in, second.delay) == (20, 0.0)
    late = retried_copy(failure(message=second, at=1049.0), ORIGIN, 10)
    assert late.expires_in == 0
    assert maybe_expires_at(Message(body=b""), 5.0) is None
    assert maybe_expires_at(Message(body=b"", expires_in=3), 5.0) == 8.0


def test_a_message_without_an_id_gets_one() -> None:
    message = Message(body=b"", id="")
    assert retried_copy(failure(message=message), ORIGIN, 0).id
    assert dead_copy(failure(message=message), ORIGIN, "why").id


def test_an_error_may_say_what_no_header_can_hold() -> None:
    copy = dead_copy(failure(1, raised("half a character: \ud800")), ORIGIN, "why")
    assert copy.headers["x-penstock-error"] == "half a character: ?"
    copy.headers["x-penstock-trace"].encode()
