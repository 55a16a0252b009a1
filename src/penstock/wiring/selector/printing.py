"""Nodes → the statement in its canonical form: one spelling for all that say the same.

Capital keywords, one space, numbers by value, no bracket that is not needed. What is printed reads
back as the same nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.wiring.selector import nodes
from penstock.wiring.selector.literals import write_name, write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from penstock.wiring.selector.nodes import Condition, Operand

__all__ = ["text"]

#: How tightly each binds; a part that binds less tightly than its place asks for gets brackets.
OR, AND, NOT, PREDICATE, SUM, PRODUCT, ATOM = range(7)
ARITHMETIC: Final = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
LEVELS: Final[dict[type, int]] = {
    nodes.Or: OR,
    nodes.And: AND,
    nodes.Not: NOT,
    nodes.Literal: ATOM,
    nodes.Name: ATOM,
    nodes.Negate: ATOM,
}


def text(node: Condition | Operand) -> str:
    """The canonical statement."""
    return WRITERS[type(node)](node)


def _level(node: Condition | Operand) -> int:
    if isinstance(node, nodes.Arithmetic):
        return ARITHMETIC[node.operator]
    return LEVELS.get(type(node), PREDICATE)


def _within(level: int, node: Condition | Operand) -> str:
    written = text(node)
    return written if _level(node) >= level else f"({written})"


def _not(node: nodes.Between | nodes.In | nodes.Like | nodes.IsNull) -> str:
    return "NOT " if node.negated else ""


def _literal(node: nodes.Literal) -> str:
    if isinstance(node.value, bool):
        return "TRUE" if node.value else "FALSE"
    return write_text(node.value) if isinstance(node.value, str) else repr(node.value)


def _negate(node: nodes.Negate) -> str:
    inner = text(node.operand)
    return f"-{inner}" if isinstance(node.operand, nodes.Name) else f"-({inner})"


def _arithmetic(node: nodes.Arithmetic) -> str:
    level = ARITHMETIC[node.operator]
    # Operators of a level go from left to right, so on the right the same level needs brackets.
    return f"{_within(level, node.left)} {node.operator} {_within(level + 1, node.right)}"


def _compare(node: nodes.Compare) -> str:
    return f"{text(node.left)} {node.operator} {text(node.right)}"


def _between(node: nodes.Between) -> str:
    return f"{text(node.operand)} {_not(node)}BETWEEN {text(node.low)} AND {text(node.high)}"


def _in(node: nodes.In) -> str:
    values = ", ".join(_literal(nodes.Literal(value)) for value in node.values)
    return f"{text(node.operand)} {_not(node)}IN ({values})"


def _like(node: nodes.Like) -> str:
    escape = "" if node.escape is None else f" ESCAPE {write_text(node.escape)}"
    return f"{text(node.operand)} {_not(node)}LIKE {write_text(node.pattern)}{escape}"


def _is_null(node: nodes.IsNull) -> str:
    return f"{text(node.operand)} IS {_not(node)}NULL"


def _negation(node: nodes.Not) -> str:
    return f"NOT {_within(NOT, node.part)}"


def _both(node: nodes.And) -> str:
    return " AND ".join(_within(AND + 1, part) for part in node.parts)


def _either(node: nodes.Or) -> str:
    return " OR ".join(_within(OR + 1, part) for part in node.parts)


WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    nodes.Literal: _literal,
    nodes.Name: lambda node: write_name(node.name),
    nodes.Negate: _negate,
    nodes.Arithmetic: _arithmetic,
    nodes.Compare: _compare,
    nodes.Between: _between,
    nodes.In: _in,
    nodes.Like: _like,
    nodes.IsNull: _is_null,
    nodes.Not: _negation,
    nodes.And: _both,
    nodes.Or: _either,
}
