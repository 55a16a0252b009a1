from __future__ import annotations

import pickle

from penstock.did.anchors import Draft
from penstock.pipelines.did.writing.outcome import Outcome
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
