"""Nodes → functions from a message's properties to True, False or None (unknown).

Closures, since walking the nodes for every message would cost several times as much. Nothing here
raises, whatever the properties hold: what cannot be worked out is unknown. How two values compare
is said in values.py; a negated BETWEEN, IN or LIKE goes by JMS 2.0's equivalences (§3.8.1.2):
`x NOT BETWEEN 1 AND 2` is `x < 1 OR x > 2`, the others are `NOT (…)`.
"""

from __future__ import annotations

import operator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from penstock.wiring.selector import like, nodes
from penstock.wiring.selector.values import (
    COMPARISONS,
    NUMBERS,
    PLAIN,
    Truth,
    both,
    compare,
    either,
    key,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wiring.properties import Properties
    from penstock.wiring.selector.nodes import Condition, Operand

    Valued = Callable[[Properties], Any]
    Test = Callable[[Properties], Truth]

__all__ = ["condition", "operand"]

#: `5 < x` is `x > 5`.
MIRRORED: Final = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def condition(node: Condition) -> Test:
    """A function that says whether the condition holds for a message's properties."""
    return CONDITIONS[type(node)](node)


def operand(node: Operand) -> Valued:
    """A function that gives the operand's value for a message's properties."""
    return OPERANDS[type(node)](node)


# Values


def _literal(node: nodes.Literal) -> Valued:
    value = node.value
    return lambda _properties: value


def _name(node: nodes.Name) -> Valued:
    name = node.name

    def look_up(properties: Properties) -> Any:
        value = properties.get(name)
        return value if type(value) in PLAIN else plain(value)

    return look_up


def _negate(node: nodes.Negate) -> Valued:
    inner = operand(node.operand)

    def negate(properties: Properties) -> Any:
        value = inner(properties)
        try:
            return -value if type(value) in NUMBERS else None
        except ArithmeticError:
            # A decimal that reaches beyond what decimals calculate with.
            return None

    return negate


def _arithmetic(node: nodes.Arithmetic) -> Valued:
    left, right = operand(node.left), operand(node.right)
    work = ARITHMETIC[node.operator]

    def calculate(properties: Properties) -> Any:
        one, other = left(properties), right(properties)
        if type(one) not in NUMBERS or type(other) not in NUMBERS:
            return None
        if type(one) is not type(other) and float in (type(one), type(other)):
            # Java's numeric promotion; a decimal does not mix with a float by itself.
            one, other = _as_float(one), _as_float(other)
        try:
            return plain(work(one, other))
        except ArithmeticError:
            return None

    return calculate


def _as_float(value: float | Decimal) -> float | Decimal:
    """An integer beyond any float stays one: Python then raises the OverflowError we wait for."""
    return float(value) if type(value) is Decimal else value


def _divide(left: Any, right: Any) -> Any:
    """Integers divide as in Java and SQL: to an integer, towards zero."""
    if type(left) is int and type(right) is int:
        quotient = abs(left) // abs(right)
        return quotient if (left < 0) == (right < 0) else -quotient
    return left / right


# Conditions


def _truth(node: nodes.Name | nodes.Literal) -> Test:
    inner = operand(node)

    def is_true(properties: Properties) -> Truth:
        value = inner(properties)
        return value if type(value) is bool else None

    return is_true


def _compare(node: nodes.Compare) -> Test:
    if isinstance(node.left, nodes.Name) and isinstance(node.right, nodes.Literal):
        return _compare_name(node.left.name, COMPARISONS[node.operator], node.right.value)
    if isinstance(node.left, nodes.Literal) and isinstance(node.right, nodes.Name):
        return _compare_name(node.right.name, COMPARISONS[MIRRORED[node.operator]], node.left.value)
    left, right, test = operand(node.left), operand(node.right), COMPARISONS[node.operator]
    return lambda properties: compare(test, left(properties), right(properties))


def _compare_name(name: str, test: Callable[[Any, Any], bool], literal: Any) -> Test:
    """The condition almost all statements are made of: a third of the general one's cost."""
    kind = type(literal)

    def holds(properties: Properties) -> Truth:
        value = properties.get(name)
        # Only comparisons that a value of the literal's own kind can stand get past building.py.
        return test(value, literal) if type(value) is kind else compare(test, plain(value), literal)

    return holds


def _between(node: nodes.Between) -> Test:
    inner, low, high = operand(node.operand), operand(node.low), operand(node.high)
    above, below = (operator.lt, operator.gt) if node.negated else (operator.ge, operator.le)
    join = either if node.negated else both

    def is_between(properties: Properties) -> Truth:
        value = inner(properties)
        return join(compare(above, value, low(properties)), compare(below, value, high(properties)))

    return is_between


def _in(node: nodes.In) -> Test:
    inner, keys, when_found = operand(node.operand), frozenset(map(key, node.values)), not node.negated

    def is_in(properties: Properties) -> Truth:
        value = inner(properties)
        return None if value is None else (key(value) in keys) is when_found

    return is_in


def _like(node: nodes.Like) -> Test:
    inner, when_like = operand(node.operand), not node.negated
    matches = like.matcher(node.pattern, node.escape)

    def is_like(properties: Properties) -> Truth:
        value = inner(properties)
        return None if value is None else (type(value) is str and matches(value)) is when_like

    return is_like


def _is_null(node: nodes.IsNull) -> Test:
    inner, when_null = operand(node.operand), not node.negated
    return lambda properties: (inner(properties) is None) is when_null


def _not(node: nodes.Not) -> Test:
    inner = condition(node.part)

    def is_not(properties: Properties) -> Truth:
        truth = inner(properties)
        return None if truth is None else not truth

    return is_not


def _and(node: nodes.And) -> Test:
    parts = tuple(map(condition, node.parts))

    def all_hold(properties: Properties) -> Truth:
        truth: Truth = True
        for part in parts:
            held = part(properties)
            if held is False:
                return False
            if held is None:
                truth = None
        return truth

    return all_hold


def _or(node: nodes.Or) -> Test:
    parts = tuple(map(condition, node.parts))

    def any_holds(properties: Properties) -> Truth:
        truth: Truth = False
        for part in parts:
            held = part(properties)
            if held:
                return True
            if held is None:
                truth = None
        return truth

    return any_holds


ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
}
OPERANDS: Final[dict[type, Callable[[Any], Valued]]] = {
    nodes.Literal: _literal,
    nodes.Name: _name,
    nodes.Negate: _negate,
    nodes.Arithmetic: _arithmetic,
}
CONDITIONS: Final[dict[type, Callable[[Any], Test]]] = {
    nodes.Literal: _truth,
    nodes.Name: _truth,
    nodes.Compare: _compare,
    nodes.Between: _between,
    nodes.In: _in,
    nodes.Like: _like,
    nodes.IsNull: _is_null,
    nodes.Not: _not,
    nodes.And: _and,
    nodes.Or: _or,
}
