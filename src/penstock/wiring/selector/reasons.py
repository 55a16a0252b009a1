"""Why a statement does not ask for a message: the condition to blame, and the values it met.

For people, so it takes its time: it evaluates part by part where evaluating.py answers as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wiring.selector import evaluating, nodes
from penstock.wiring.selector.literals import write_name
from penstock.wiring.selector.printing import text
from penstock.wiring.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.properties import Properties
    from penstock.wiring.selector.nodes import Condition, Operand

__all__ = ["why_not"]

#: How many alternatives of an OR are explained one by one.
ALTERNATIVES: Final = 3


def why_not(node: Condition, properties: Properties) -> str | None:
    """The reason in words; None if the condition holds."""
    truth = evaluating.condition(node)(properties)
    if truth:
        return None
    if isinstance(node, nodes.And):
        return next(filter(None, (why_not(part, properties) for part in node.parts)))
    if isinstance(node, nodes.Or):
        return _none_of(node, properties)
    verdict = "false" if truth is False else "unknown"
    found = ", ".join(_found(name, properties) for name in dict.fromkeys(_names(node)))
    return f"{text(node)} is {verdict}" + (f": {found}" if found else "")


def _none_of(node: nodes.Or, properties: Properties) -> str:
    reasons = [str(why_not(part, properties)) for part in node.parts[:ALTERNATIVES]]
    if len(node.parts) > ALTERNATIVES:
        reasons.append(f"{len(node.parts) - ALTERNATIVES} more")
    return "none of the alternatives holds: " + "; ".join(reasons)


def _names(node: Condition | Operand) -> Iterator[str]:
    """The properties a condition looks at, from left to right."""
    if isinstance(node, nodes.Name):
        yield node.name
    for part in _parts(node):
        yield from _names(part)


def _parts(node: Any) -> tuple[Any, ...]:
    if isinstance(node, nodes.And | nodes.Or):
        return node.parts
    if isinstance(node, nodes.Not):
        return (node.part,)
    if isinstance(node, nodes.Arithmetic | nodes.Compare):
        return node.left, node.right
    if isinstance(node, nodes.Between):
        return node.operand, node.low, node.high
    return (node.operand,) if isinstance(node, nodes.Negate | nodes.In | nodes.Like | nodes.IsNull) else ()


def _found(name: str, properties: Properties) -> str:
    if name not in properties:
        return f"there is no property {write_name(name)}"
    value = properties[name]
    if value is None:
        return f"{write_name(name)} is void"
    return f"{write_name(name)} is {shown(value)}"
