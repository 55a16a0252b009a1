"""Pages in order are tested with the selection, in one go: Spark is dear."""

from __future__ import annotations

from penstock.pipelines.replay import ordering


def test_what_spark_hands_over_at_a_time_is_more_than_a_page() -> None:
    assert ordering.PAGE > ordering.SIZE
