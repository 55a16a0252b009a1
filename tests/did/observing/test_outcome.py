from __future__ import annotations

import pickle

import pytest

from penstock.did.anchoring import AnchorInfo
from penstock.did.observing.outcome import CLASSES, Outcome, Seen, as_error
from penstock.errors import (
    BadAnchor,
    BadBatchFile,
    ContentForged,
    DidError,
    PenstockError,
    StoreError,
    Unavailable,
    UnknownVersion,
)
from penstock.messaging.subscriptions import ErrorClass

PERSISTENT, TRANSIENT, UNKNOWN = ErrorClass.PERSISTENT, ErrorClass.TRANSIENT, ErrorClass.UNKNOWN


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (BadAnchor("item", "x"), PERSISTENT),
        (BadBatchFile("chunk file", "x"), PERSISTENT),
        (UnknownVersion("x"), PERSISTENT),
        (ContentForged("x"), PERSISTENT),
        (Unavailable("x"), TRANSIENT),
        (StoreError("x"), TRANSIENT),
        (as_error(ValueError("x")), UNKNOWN),
    ],
)
def test_an_outcome_crosses_processes_and_says_whether_to_try_again(
    error: PenstockError, expected: ErrorClass
) -> None:
    seen = Seen(info=AnchorInfo(hash_link="hl:x"), author="https://a.example", copy="hl:x", operations=3)
    sent = pickle.loads(pickle.dumps(Outcome(seen=[seen], error=error, failed="x")))  # noqa: S301  made here
    assert sent.seen == [seen]
    assert (type(sent.error), str(sent.error)) == (type(error), str(error))
    assert CLASSES.of(sent.error) is expected


def test_an_error_of_nobodys_is_the_observers() -> None:
    assert type(as_error(KeyError("x"))) is DidError
    assert "KeyError" in str(as_error(KeyError("x")))
