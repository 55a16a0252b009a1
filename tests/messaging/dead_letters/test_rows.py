from __future__ import annotations

from dataclasses import replace
from typing import Any

from penstock.messaging.dead_letters.rows import letter_of, row_of
from penstock.messaging.dead_letters.schema import letters
from tests.messaging.dead_letters.making import FAILED, RICH


def test_a_row_has_every_column_and_comes_back() -> None:
    letter = replace(FAILED, headers=RICH, redriven_at=5.0, retry_of="m0")
    row: Any = row_of(letter)
    assert set(row) == {column.name for column in letters.columns}
    assert row["group"] == letter.group
    assert letter_of(row) == letter
