from __future__ import annotations

import pytest

from penstock.errors import (
    InvalidMessage,
    NotConnected,
    PersistentError,
    PublishTimeout,
    TimeLimitExceeded,
    TransientError,
    UnknownEvent,
)
from penstock.messaging import Message
from penstock.messaging.subscriptions.failure import ErrorClass, ErrorClasses, Failure


class Odd(Exception):
    retry_after = 7


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


CLASSES = ErrorClasses(persistent=(KeyError,), transient=(OSError,))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PersistentError("no"), ErrorClass.PERSISTENT),
        (InvalidMessage("no"), ErrorClass.PERSISTENT),
        (UnknownEvent("no"), ErrorClass.PERSISTENT),
        (KeyError("no"), ErrorClass.PERSISTENT),
        (TransientError("later"), ErrorClass.TRANSIENT),
        (TimeLimitExceeded("later"), ErrorClass.TRANSIENT),
        (NotConnected("later"), ErrorClass.TRANSIENT),
        (PublishTimeout("later"), ErrorClass.TRANSIENT),
        (ConnectionRefusedError("later"), ErrorClass.TRANSIENT),
        (ValueError("what"), ErrorClass.UNKNOWN),
        # The class is found along the causes: Orb lost it when an error was written anew.
        (caused(ValueError("what"), OSError("away")), ErrorClass.TRANSIENT),
        (caused(ValueError("what"), caused(ValueError(), KeyError())), ErrorClass.PERSISTENT),
        # The outer error decides.
        (caused(PersistentError("no"), OSError("away")), ErrorClass.PERSISTENT),
    ],
)
def test_an_errors_class(error: Exception, expected: ErrorClass) -> None:
    assert CLASSES.of(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError("away"), True),
        (caused(ValueError("what"), OSError("away")), True),
        (TransientError("later"), False),
        # What has told of it otherwise has the last word.
        (caused(TransientError("later"), OSError("away")), False),
        (caused(PersistentError("no"), OSError("away")), False),
        (ValueError("what"), False),
    ],
)
def test_which_kind_of_transient_error_it_is(error: Exception, expected: bool) -> None:  # noqa: FBT001  a column
    assert CLASSES.is_transient(error, (OSError,)) is expected


def test_an_error_raised_while_another_was_handled_has_the_others_class_unless_told_otherwise() -> None:
    def away() -> None:
        raise OSError("away")

    def raised(*, hides: bool) -> Exception:
        error = ValueError("what")
        try:
            away()
        except OSError:
            try:
                if hides:
                    raise error from None
                raise error
            except ValueError:
                return error
        raise AssertionError

    assert CLASSES.of(raised(hides=False)) is ErrorClass.TRANSIENT
    assert CLASSES.of(raised(hides=True)) is ErrorClass.UNKNOWN


def test_causes_in_a_circle_end() -> None:
    one, other = ValueError(), ValueError()
    one.__cause__, other.__cause__ = other, one
    assert CLASSES.of(one) is ErrorClass.UNKNOWN


@pytest.mark.parametrize(
    ("error", "expected"),
    [(Odd(), 7.0), (caused(ValueError(), Odd()), 7.0), (ValueError(), 0.0)],
)
def test_an_error_may_ask_to_be_left_alone_for_a_while(error: Exception, expected: float) -> None:
    failure = Failure(
        message=Message(body=b""),
        error=error,
        error_class=ErrorClass.UNKNOWN,
        attempts=1,
        at=0.0,
        first_at=0.0,
        consumer="c",
        queue="q",
    )
    assert failure.wanted_wait == expected
    assert not failure.is_persistent
