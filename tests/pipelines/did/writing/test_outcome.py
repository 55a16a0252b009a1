from __future__ import annotations

from penstock.did.anchors import Draft
from penstock.pipelines.did.writing.outcome import OUTCOMES, Outcome, outcomes_in, table_of
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


def test_an_outcome_is_a_row_and_back() -> None:
    rows = table_of([OUTCOME, Outcome(cut=8, failure="the storage is away"), Outcome(cut=9, is_gone=True)])
    assert rows.schema.names == [column.split()[0] for column in OUTCOMES.split(", ")]
    assert outcomes_in(rows.to_pylist())[0] == OUTCOME
    assert [each.failure for each in outcomes_in(rows.to_pylist())] == [None, "the storage is away", None]


def test_the_oldest_cut_comes_first_in_whatever_order_they_were_written() -> None:
    rows = table_of(Outcome(cut=number) for number in (3, 1, 2))
    assert [each.cut for each in outcomes_in(rows.to_pylist())] == [1, 2, 3]
