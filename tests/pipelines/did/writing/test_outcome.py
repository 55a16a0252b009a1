from __future__ import annotations

import pickle

import pytest

from penstock.did.anchors import Draft
from penstock.errors import NotAcceptable, NotConnected, StoreError, Unavailable
from penstock.pipelines.did.writing.outcome import LONGEST, Outcome, failed
from tests.did.anchors.helpers import PAYLOAD

OUTCOME = Outcome(
    cut=7,
    core_index="hl:uEi",
    draft=Draft.of(PAYLOAD),
    count=2,
    deferred=["later"],
    refused={"bad": "no good"},
    unanchored=["did"],
)


def test_an_outcome_travels_as_spark_sends_it() -> None:
    assert pickle.loads(pickle.dumps(OUTCOME)) == OUTCOME  # noqa: S301  of our own


@pytest.mark.parametrize(
    ("error", "is_passing"),
    [
        (StoreError("away"), True),
        (Unavailable("away"), True),
        (NotConnected("away"), True),
        (NotAcceptable("no"), False),
        (ValueError("what"), False),
        (MemoryError("no more"), False),
    ],
)
def test_what_may_never_pass_is_told_from_what_is_away(error: Exception, is_passing: bool) -> None:  # noqa: FBT001  a column
    outcome = failed(7, error)
    assert (outcome.cut, outcome.failure) == (7, f"{type(error).__name__}: {error}")
    assert outcome.is_passing is is_passing


def test_a_reason_is_short_whatever_it_quotes() -> None:
    assert len(failed(7, ValueError("x" * 10_000)).failure or "") == LONGEST
