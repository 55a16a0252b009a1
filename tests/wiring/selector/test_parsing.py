"""Reading a statement, and what is said of one that cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadSelector
from penstock.wiring.selector import nodes
from penstock.wiring.selector.parsing import MAX_LENGTH, check_length, read

A, B, C = nodes.Name("a"), nodes.Name("b"), nodes.Name("c")


@pytest.mark.parametrize(
    ("statement", "node"),
    [
        (" \n\t", nodes.Literal(value=True)),
        ("a OR b AND c", nodes.Or((A, nodes.And((B, C))))),  # AND binds tighter
        ("NOT a AND b", nodes.And((nodes.Not(A), B))),  # NOT binds tighter still
        ("NOT a = b", nodes.Not(nodes.Compare("=", A, B))),
        # BETWEEN takes the first AND, the condition after it the second.
        (
            "a BETWEEN 1 AND 2 AND b",
            nodes.And((nodes.Between(A, nodes.Literal(1), nodes.Literal(2)), B)),
        ),
        ("Android = 1", nodes.Compare("=", nodes.Name("Android"), nodes.Literal(1))),  # no AND in there
        ('"and" = 1', nodes.Compare("=", nodes.Name("and"), nodes.Literal(1))),
        ("i\u017f", nodes.Name("i\u017f")),  # the long s is an S only to those who ignore case carelessly
        ("a=1\r\nAND\tb", nodes.And((nodes.Compare("=", A, nodes.Literal(1)), B))),
        ("a=-1", nodes.Compare("=", A, nodes.Literal(-1))),
        ("a-1=b", nodes.Compare("=", nodes.Arithmetic("-", A, nodes.Literal(1)), B)),
        ("a<0x1E+5", nodes.Compare("<", A, nodes.Arithmetic("+", nodes.Literal(30), nodes.Literal(5)))),
    ],
)
def test_statements(statement: str, node: nodes.Condition) -> None:
    assert read(statement) == node


#: Statement, column, what the error says.
REFUSED: list[tuple[str, int, str]] = [
    ("a = ", 5, "found the end of the statement; here could stand: a property's name, a text in 'quotes'"),
    ("a b", 3, "found b; here could stand: a comparison (= <> < <= > >=), + - * /, AND, OR"),
    ("a = b = c", 7, "found =; here could stand: AND, OR, the end"),
    ("(a", 3, "found the end of the statement; here could stand: )"),
    ("a)", 2, "found )"),
    ("a AND AND b", 7, "found AND, a keyword (a property of that name is written in double quotes)"),
    ("a == 5", 4, "equality is one ="),
    ("a != 5", 3, "'not equal' is <>"),
    ("!a", 1, "'not' is NOT"),
    ("a && b", 3, "'and' is AND"),
    ("a || b", 3, "'or' is OR"),
    ("a = NULL", 5, "NULL is asked for by IS NULL or IS NOT NULL"),
    ("a = 'it", 5, "this text has no closing '"),
    ('a = "it', 5, 'this name has no closing "; a text stands in single quotes'),
    ('a = ""', 5, "a name cannot be empty"),
    ("a ? b", 3, "found '?'"),
    ("a = 1;", 6, "found ';'"),
    ("name LIKE 5", 11, "found 5; here could stand: a text in 'quotes'"),
    ("name LIKE other", 11, "found other; here could stand: a text in 'quotes'"),
    ("a IN ()", 7, "found ); here could stand: a text in 'quotes', a number"),
    ("a IS 5", 6, "found 5; here could stand: NOT, NULL"),
    ("upper(a) = 'A'", 6, "found ("),  # there are no functions
    ("a\n=\n=", 5, "found ="),  # columns count through line breaks
    ("12abc = a", 1, "12abc is not a number"),
]


@pytest.mark.parametrize(("statement", "column", "message"), REFUSED)
def test_what_cannot_be_read(statement: str, column: int, message: str) -> None:
    with pytest.raises(BadSelector) as caught:
        read(statement)
    assert caught.value.column == column
    assert str(caught.value).startswith(message)
    assert statement in str(caught.value)


def maybe_error(statement: str) -> BadSelector | None:
    try:
        read(statement)
    except BadSelector as error:
        return error
    return None


HOSTILE = {
    "brackets": "(" * 2047 + "a" + ")" * 2047,
    "open brackets": "(" * MAX_LENGTH,
    "closed brackets": ")" * MAX_LENGTH,
    "nots": "NOT " * 1023 + "a",
    "minuses": "-" * 4000 + "a > 0",
    "pluses": "+" * 4000 + "a > 0",
    "a long sum": "a" + "+a" * 2000 + ">0",
    "nested ors": "(a OR (b AND " * 270 + "a" + "))" * 270,
    "many ands": "a" + " AND a" * 600,
    "many values": "a IN (1" + ",1" * 2000 + ")",
    "a long text": "a = '" + "x" * 4000 + "'",
    "a long number": "a = " + "9" * 4000,
    "a long fraction": "a = 0." + "9" * 4000,
    "quotes": "'" * MAX_LENGTH,
}


@pytest.mark.parametrize("statement", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_statement_is_read_or_refused(statement: str) -> None:
    check_length(statement)
    error = maybe_error(statement)
    assert error is None or 1 <= error.column <= len(statement) + 1
    assert len(str(error)) < 5000


def test_a_long_statement_is_refused_and_not_quoted_whole() -> None:
    with pytest.raises(BadSelector, match="at most 4096 characters, this one 5000") as caught:
        check_length("a" * 5000)
    assert len(str(caught.value)) < 400
    assert caught.value.column == MAX_LENGTH + 1


@given(st.text("ab01.='\"()<>+-*/%_ ,ANDORTINLKEScaplibw", max_size=40))
def test_any_text_is_read_or_refused(statement: str) -> None:
    error = maybe_error(statement)
    assert error is None or 1 <= error.column <= len(statement) + 1
