"""One line of what Spark says."""

from __future__ import annotations

import pytest

from penstock.pipelines.saying import first_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `x` cannot be resolved. SQLSTATE: 42703;\nPlan",
            "A column `x` cannot be resolved.",
        ),
        ("\nplain", "plain"),
    ],
)
def test_the_sentence_is_what_is_told(text: str, expected: str) -> None:
    assert first_line(ValueError(text)) == expected
