"""Hypothesis strategies for whatever a selector can say, and for properties it can meet."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from penstock.wiring.selector import nodes

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition, Operand


class Level(IntEnum):
    LOW = 1


class Colour(str, Enum):  # noqa: UP042 - shows itself as Colour.RED, unlike a StrEnum
    RED = "red"


#: Few, so that statements and properties meet; one that needs quotes, one that is a keyword.
NAMES = ["a", "b", "c", "x-region", "and"]
TEXTS = st.sampled_from(["", "a", "ab", "it's", "red", "10%", "a_b"]) | st.text(max_size=5)
INTEGERS = st.integers(-3, 3) | st.integers(-(2**64) + 1, 2**64 - 1)
NUMBERS = INTEGERS | st.floats(allow_nan=False, allow_infinity=False)

names = st.sampled_from(NAMES).map(nodes.Name)
numbers = NUMBERS.map(nodes.Literal)
texts = TEXTS.map(nodes.Literal)
truths = st.booleans().map(nodes.Literal)


def calculated(inner: st.SearchStrategy[Operand]) -> st.SearchStrategy[Operand]:
    # A negative literal is a literal, not the negation of one.
    negations = inner.filter(lambda node: not isinstance(node, nodes.Literal)).map(nodes.Negate)
    return negations | st.builds(nodes.Arithmetic, st.sampled_from("+-*/"), inner, inner)


numeric: st.SearchStrategy[Operand] = st.recursive(names | numbers, calculated, max_leaves=4)
comparisons = st.builds(nodes.Compare, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), numeric, numeric)
equalities = st.builds(nodes.Compare, st.sampled_from(["=", "<>"]), names, names | texts | truths)
listed = st.lists(NUMBERS, min_size=1, max_size=4, unique=True) | st.lists(
    TEXTS, min_size=1, max_size=4, unique=True
)


@st.composite
def likes(draw: st.DrawFn) -> nodes.Like:
    escape = draw(st.sampled_from([None, "\\", "!", "%", "'"]))
    pieces = (
        ["a", "b", "_", "%", "'"] if escape is None else ["a", "b", escape + "%", escape + "_", escape * 2]
    )
    pattern = "".join(draw(st.lists(st.sampled_from(pieces), max_size=5)))
    return nodes.Like(draw(names), pattern, escape, draw(st.booleans()))


leaves: st.SearchStrategy[Condition] = st.one_of(
    names,
    truths,
    comparisons,
    equalities,
    st.builds(nodes.Between, numeric, numeric, numeric, st.booleans()),
    st.builds(nodes.In, names, listed.map(tuple), st.booleans()),
    likes(),
    st.builds(nodes.IsNull, names, st.booleans()),
)


def joined(kind: Any, parts: list[Condition]) -> Condition:
    """Flat, as they are read."""
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if type(part) is kind else [part]  # type: ignore[union-attr]
    return kind(tuple(flat))  # type: ignore[no-any-return]


def combined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        inner.map(nodes.Not),
        several.map(lambda parts: joined(nodes.And, parts)),
        several.map(lambda parts: joined(nodes.Or, parts)),
    )


conditions: st.SearchStrategy[Condition] = st.recursive(leaves, combined, max_leaves=8)

odd_values: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        b"a",
        [1, [2]],
        {"a": 1},
        datetime(2005, 1, 1, tzinfo=UTC),
        float("nan"),
        float("inf"),
        Decimal("1.5"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("1e400"),
        Decimal("-1e9999999999"),  # can be, but not be calculated with
        10**400,
        -(10**5000),
        Level.LOW,
        Colour.RED,
        (1, 2),
        object(),
    ]
)
properties = st.dictionaries(st.sampled_from(NAMES), st.booleans() | NUMBERS | TEXTS | odd_values)
