"""Failures that tests decide about."""

from __future__ import annotations

from penstock.messaging import Message
from penstock.messaging.subscriptions.failure import ErrorClass, Failure


def failure(
    attempts: int = 1,
    error: Exception | None = None,
    *,
    message: Message | None = None,
    error_class: ErrorClass = ErrorClass.UNKNOWN,
    chance: float = 0.0,
    at: float = 1000.0,
) -> Failure:
    return Failure(
        message=message or Message(body=b"{}", id="m1", type="Bill"),
        error=error or ValueError("what"),
        error_class=error_class,
        attempts=attempts,
        at=at,
        first_at=at,
        consumer="shop.bills",
        queue="shop.bills",
        chance=chance,
    )
