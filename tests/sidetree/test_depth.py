from __future__ import annotations

from typing import Any

import pytest

from penstock.sidetree.canonical import canonical
from penstock.sidetree.depth import DEEPEST, too_deep, written_too_deep


def nested(levels: int) -> Any:
    value: Any = "core"
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", False),
        ({"wide": [1] * 1000}, False),
        (nested(DEEPEST), False),
        (nested(DEEPEST + 1), True),
        (nested(100_000), True),
    ],
)
def test_depth_is_counted_by_levels(value: Any, expected: bool) -> None:  # noqa: FBT001  a column of the table
    assert too_deep(value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(nested(DEEPEST), False), (nested(DEEPEST + 1), True), ([[]] * 1000, False), ("[" * 1000, False)],
)
def test_what_is_written_tells_whether_to_look(value: Any, expected: bool) -> None:  # noqa: FBT001  a column of the table
    assert written_too_deep(value, canonical(value)) is expected
