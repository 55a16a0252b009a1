"""What is checked before any message comes."""

from __future__ import annotations

import pytest

from penstock.errors import BadSelector
from penstock.wiring.selector.building import MAX_DEPTH
from penstock.wiring.selector.parsing import read

NEVER = "a condition has no value to work with"

#: Statement, column, what the error says.
REFUSED: list[tuple[str, int, str]] = [
    ("'a' > 3", 1, "both sides of > must be a number, not a text"),
    ("a > 'b'", 5, "both sides of > must be a number, not a text"),
    ("TRUE <= a", 1, "both sides of <= must be a number, not a boolean"),
    ("'a' = 3", 7, "a number can never equal a text"),
    ("1 <> TRUE", 6, "a boolean can never equal a number"),
    ("a + 1 = 'x'", 9, "a text can never equal a number"),
    ("a + 'x' = 1", 5, "+ needs a number, not a text"),
    ("TRUE * a = 1", 1, "* needs a number, not a boolean"),
    ("-'x' = a", 2, "a sign needs a number, not a text"),
    ("-TRUE = a", 2, "a sign needs a number, not a boolean"),
    ("5", 1, "a condition should stand here, not just a number: compare it"),
    ("'x'", 1, "a condition should stand here, not just a text"),
    ("b AND a + 1", 7, "a condition should stand here, not just a number"),
    ("NOT 'x'", 5, "a condition should stand here, not just a text"),
    ("b OR -a", 6, "a condition should stand here, not just a number"),
    ("(a = b) = c", 2, NEVER),
    ("a = (b AND c)", 6, NEVER),
    ("(a = b) + 1 > 2", 2, NEVER),
    ("(NOT a) IS NULL", 2, NEVER),
    ("a BETWEEN 'x' AND 'y'", 11, "what BETWEEN compares must be a number, not a text"),
    ("'x' BETWEEN 1 AND 2", 1, "what BETWEEN compares must be a number, not a text"),
    ("a IN ('x', 3)", 12, "IN lists texts or numbers, not both: this is a number"),
    ("a IN (TRUE)", 7, "what IN lists must be a number or a text, not a boolean"),
    ("5 IN ('x')", 1, "what this IN compares must be a text, not a number"),
    ("a IN (1, 08)", 10, "08 begins with 0"),
    ("5 LIKE 'x'", 1, "what LIKE compares must be a text, not a number"),
    ("a LIKE 'x' ESCAPE ''", 19, "ESCAPE takes one character, not 0"),
    ("a LIKE 'x' ESCAPE '!!'", 19, "ESCAPE takes one character, not 2"),
    ("a LIKE 'x!y' ESCAPE '!'", 8, "the escape character '!' stands before 'y'"),
    ("a LIKE 'x!' ESCAPE '!'", 8, "the escape character '!' ends the pattern"),
]


@pytest.mark.parametrize(("statement", "column", "message"), REFUSED)
def test_what_can_never_be(statement: str, column: int, message: str) -> None:
    with pytest.raises(BadSelector) as caught:
        read(statement)
    assert caught.value.column == column
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "statement",
    [
        "a",
        "TRUE",
        "(a) = (5)",
        "a = TRUE",
        "1 = 2",
        "'x' = 'y'",
        "a = b",
        "a > b",
        "-a + 2 * (b / +3) <= 7",
        "a + 1 IN (2, -3)",
        "'x' IN ('x', 'y')",
        "'it''s' LIKE '%s'",
        "a + b IS NOT NULL",
        "1 BETWEEN a AND b",
        '"x-a" = 1 AND (b AND c)',
    ],
)
def test_what_can_be(statement: str) -> None:
    read(statement)


@pytest.mark.parametrize(
    "statement", ["NOT " * MAX_DEPTH + "a", "a" + " - b" * MAX_DEPTH + " = 1", "-" * 200 + "a = 1"]
)
def test_nesting_has_an_end(statement: str) -> None:
    with pytest.raises(BadSelector, match="nests deeper than 100 levels: split the statement"):
        read(statement)


def test_what_is_long_but_flat_is_not_deep() -> None:
    read(" AND ".join(["a"] * 500))
    read(" OR ".join(["(a AND b)"] * 300))
    read("NOT " * (MAX_DEPTH - 1) + "a")
    read("(" * 1000 + "a" + ")" * 1000)
