"""What an index can know of a statement before a message comes.

An AND is cut into what the index can look up (equalities), what it can bisect (a range of one
property) and the rest, which is evaluated. An OR between different properties is as many ways in.
Only "true" counts to a proxy, not whether the rest is false or unknown, so a condition that was
looked up need not be evaluated again.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from penstock.wiring.conditions import Conditions
from penstock.wiring.ranges import Range
from penstock.wiring.selector import evaluating, nodes
from penstock.wiring.selector.values import key

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from penstock.wiring.conditions import Way
    from penstock.wiring.selector.nodes import Condition

    #: A property's name, and the keys of the values of which it must have one.
    Equality = tuple[str, frozenset[Hashable]]

__all__ = ["conditions", "required"]

#: How many ways a registration may stand in the index by: IN times IN times IN … grows fast.
MOST_WAYS: Final = 64


def required(node: Condition) -> dict[str, frozenset[Hashable]]:
    """Property → the keys (values.key) of which it must have one; no key at all: this can never be."""
    merged: dict[str, frozenset[Hashable]] = {}
    for part in _parts(node):
        equality = _equality(part)
        if equality is not None:
            name, keys = equality
            merged[name] = merged.get(name, keys) & keys
    return merged


def conditions(node: Condition) -> Conditions:
    """The statement as the index wants it."""
    wanted = required(node)
    if not wanted and isinstance(node, nodes.Or):
        ways = _ways_of_alternatives(node)
        return Conditions(ways=ways or ((),), test=evaluating.condition(node))
    chosen = _affordable(wanted)
    rest = [part for part in _parts(node) if not _is_said(part, chosen)]
    return Conditions(ways=_ways(chosen), range=_range(rest), test=_test(rest))


def _parts(node: Condition) -> list[Condition]:
    parts = node.parts if isinstance(node, nodes.And) else (node,)
    return [part for part in parts if not (isinstance(part, nodes.Literal) and part.value is True)]


def _is_said(part: Condition, chosen: Mapping[str, frozenset[Hashable]]) -> bool:
    equality = _equality(part)
    return equality is not None and equality[0] in chosen


def _equality(node: Condition) -> Equality | None:
    """The condition, if it says no more and no less than that a property has one of some values."""
    if isinstance(node, nodes.Name):
        return node.name, frozenset((key(value=True),))
    if isinstance(node, nodes.In) and isinstance(node.operand, nodes.Name) and not node.negated:
        return node.operand.name, frozenset(map(key, node.values))
    if isinstance(node, nodes.Compare) and node.operator == "=":
        return _compared(node)
    return _united(node) if isinstance(node, nodes.Or) else None


def _compared(node: nodes.Compare) -> Equality | None:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, nodes.Name) and isinstance(other, nodes.Literal):
            return one.name, frozenset((key(other.value),))
    return None


def _united(node: nodes.Or) -> Equality | None:
    """An OR over one property is an IN."""
    equalities = [_equality(part) for part in node.parts]
    found = [equality for equality in equalities if equality is not None]
    if len(found) < len(equalities) or len({name for name, _keys in found}) > 1:
        return None
    return found[0][0], frozenset().union(*(keys for _name, keys in found))


def _affordable(wanted: Mapping[str, frozenset[Hashable]]) -> dict[str, frozenset[Hashable]]:
    """The properties to go by: always one, and more while their combinations stay few."""
    chosen: dict[str, frozenset[Hashable]] = {}
    ways = 1
    for name, keys in sorted(wanted.items(), key=lambda item: len(item[1])):
        ways *= len(keys)
        if chosen and ways > MOST_WAYS:
            break
        chosen[name] = keys
    return chosen


def _ways(chosen: Mapping[str, frozenset[Hashable]]) -> tuple[Way, ...]:
    names = sorted(chosen)
    return tuple(tuple(zip(names, keys, strict=True)) for keys in product(*(chosen[name] for name in names)))


def _ways_of_alternatives(node: nodes.Or) -> tuple[Way, ...] | None:
    """The ways of all alternatives; None if one of them requires nothing, or there are too many."""
    ways: dict[Way, None] = {}
    for part in node.parts:
        wanted = required(part)
        ways.update(dict.fromkeys(_ways(_affordable(wanted))))
        if not wanted or len(ways) > MOST_WAYS:
            return None
    return tuple(ways)


def _range(parts: Iterable[Condition]) -> Range | None:
    """The range that all conditions on the first ranged property leave open."""
    found: Range | None = None
    for part in parts:
        wanted = _bounds(part)
        if wanted is None or (found is not None and wanted.name != found.name):
            continue
        found = found or wanted
        found = Range(name=wanted.name, low=max(found.low, wanted.low), high=min(found.high, wanted.high))
    return found


def _bounds(node: Condition) -> Range | None:
    if isinstance(node, nodes.Between) and isinstance(node.operand, nodes.Name) and not node.negated:
        low, high = _number(node.low), _number(node.high)
        if low is not None and high is not None:
            return Range(name=node.operand.name, low=low, high=high)
    if isinstance(node, nodes.Compare):
        return _bound(node.left, node.operator, node.right) or _bound(
            node.right, evaluating.MIRRORED[node.operator], node.left
        )
    return None


def _bound(operand: nodes.Operand, operator: str, limit: nodes.Operand) -> Range | None:
    number = _number(limit)
    if not isinstance(operand, nodes.Name) or number is None:
        return None
    if operator in (">", ">="):
        return Range(name=operand.name, low=number)
    return Range(name=operand.name, high=number) if operator in ("<", "<=") else None


def _number(node: nodes.Operand) -> int | float | None:
    return node.value if isinstance(node, nodes.Literal) and not isinstance(node.value, str | bool) else None


def _test(rest: list[Condition]) -> evaluating.Test | None:
    if not rest:
        return None
    return evaluating.condition(rest[0] if len(rest) == 1 else nodes.And(tuple(rest)))
