"""The canonical form: one spelling, that reads back as the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from penstock.wiring.selector import nodes
from penstock.wiring.selector.parsing import read
from penstock.wiring.selector.printing import text
from tests.wiring.selector.trees import conditions

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition

#: Written, canonical.
FORMS: list[tuple[str, str]] = [
    ("", "TRUE"),
    ("  a  =  1\n", "a = 1"),
    ("a=1 and b<>'x' or not c", "a = 1 AND b <> 'x' OR NOT c"),
    ("((a = 1))", "a = 1"),
    ("(a = 1 AND b) OR c", "a = 1 AND b OR c"),
    ("a = 1 AND (b OR c)", "a = 1 AND (b OR c)"),
    ("NOT (a AND b)", "NOT (a AND b)"),
    ("NOT (a = 1)", "NOT a = 1"),
    ("not not a", "NOT NOT a"),
    ("(a and b) and (c and d)", "a AND b AND c AND d"),
    ("a - (b - c) > 0", "a - (b - c) > 0"),
    ("(a - b) - c > 0", "a - b - c > 0"),
    ("(a + b) * c > 0", "(a + b) * c > 0"),
    ("a + (b * c) > 0", "a + b * c > 0"),
    ("-(-a) = -(a+b)", "-(-a) = -(a + b)"),
    ("+a > +5", "a > 5"),
    ("a > - 5", "a > -5"),
    ("a = 0x1F OR a = 7E3 OR a = 91L", "a = 31 OR a = 7000.0 OR a = 91"),
    ("a not between 1 and 2+b", "a NOT BETWEEN 1 AND 2 + b"),
    ("a in('x','it''s') and b NOT in (1,-2.0)", "a IN ('x', 'it''s') AND b NOT IN (1, -2.0)"),
    ("a in (1, 1, 2)", "a IN (1, 2)"),
    ("a like 'x!%' escape '!'", "a LIKE 'x!%' ESCAPE '!'"),
    ("a Not Like 'x'", "a NOT LIKE 'x'"),
    ("a is null and b is not null", "a IS NULL AND b IS NOT NULL"),
    ('"x-region" = true and "region" = false', '"x-region" = TRUE AND region = FALSE'),
]


@pytest.mark.parametrize(("written", "canonical"), FORMS)
def test_the_canonical_form(written: str, canonical: str) -> None:
    assert text(read(written)) == canonical
    assert text(read(canonical)) == canonical


def test_a_sum_under_a_minus_keeps_its_brackets() -> None:
    node = nodes.Negate(nodes.Arithmetic("+", nodes.Name("a"), nodes.Literal(-1)))
    assert text(node) == "-(a + -1)"


@given(conditions)
def test_what_is_printed_reads_back_as_the_same(node: Condition) -> None:
    printed = text(node)
    again = read(printed)
    assert again == node
    # To Python 1 == 1.0 == True; to the printer they differ.
    assert text(again) == printed
