from __future__ import annotations

from typing import Any

import pytest

from penstock.pipelines.databases import words


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        (words.fixed, (1.5, 2), "1.50"),
        (words.fixed, ("1.005", 2), "1.01"),  # half a digit goes up, as in PostgreSQL
        (words.fixed, (-7, 0), "-7"),
        (words.fixed, ("123456789012345678901234567890.12", 2), "123456789012345678901234567890.12"),
        (words.fixed, ("many", 2), "NaN"),
        (words.fixed, (None, 2), None),
        (words.numeric, ("1.500",), "1.5"),
        (words.numeric, (100,), "100"),
        (words.numeric, ("100.00",), "100"),
        (words.numeric, (None,), None),
        (words.double, (1,), "3ff0000000000000"),
        (words.double, (-0.0,), "0000000000000000"),
        (words.double, (None,), None),
        (words.single, (0.1,), "3dcccccd"),
        (words.single, (None,), None),
        (words.moment, ("2026-01-02 03:04:05.500000",), "2026-01-02 03:04:05.5"),
        (words.moment, ("2026-01-02T03:04:05Z",), "2026-01-02 03:04:05"),
        (words.moment, ("2026-01-02 03:04:05+02:00",), "2026-01-02 01:04:05"),
        (words.moment, ("2026-01-02 03:04:10",), "2026-01-02 03:04:10"),
        (words.moment, (86_400,), "1970-01-02 00:00:00"),
        (words.moment, ("yesterday",), "yesterday"),
        (words.moment, (None,), None),
        (
            words.jsonb,
            ('{"bb":1,"a":[1.50,true,null],"é":"ü"}',),
            '{"a": [1.50, true, null], "bb": 1, "é": "ü"}',
        ),
        (words.jsonb, ('{"b": 1e2, "é": {}}',), '{"b": 100, "é": {}}'),
        (words.jsonb, ("{",), "{"),
        (words.jsonb, (None,), None),
    ],
)
def test_sqlites_values_are_worded_as_postgresqls(function: Any, arguments: Any, told: str | None) -> None:
    assert function(*arguments) == told


def test_every_function_is_there_for_sql() -> None:
    assert {function.__name__ for _, function in words.FUNCTIONS.values()} == {
        "fixed",
        "numeric",
        "double",
        "single",
        "moment",
        "jsonb",
    }
