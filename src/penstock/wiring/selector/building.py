"""The parser's callbacks: tokens and parts → nodes, with every check that needs no message.

Called while the parser reduces, so no tree is built and nothing recurses however deep a statement
nests. Each callback gets Parts (a node, what kind of value it has, where it stands) and gives one.
Knows nothing of how conditions are evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from lark import Token

from penstock.wiring.selector import like, nodes
from penstock.wiring.selector.literals import read_name, read_number, read_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wiring.selector.nodes import Condition, Operand

__all__ = ["MAX_DEPTH", "Builder", "Part", "Wrong"]

#: How deep a statement may nest; evaluating, printing and explaining recurse this deep at most.
MAX_DEPTH: Final = 100

NUMBER, TEXT, BOOLEAN, ANY, CONDITION = "a number", "a text", "a boolean", "a property", "a condition"
NOT_A_VALUE: Final = "a condition has no value to work with: join conditions by AND, OR and NOT"


class Wrong(Exception):
    """What is wrong, and the column (from 1) where."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True, slots=True)
class Part:
    """A node that has been checked, and what those it becomes part of must know of it."""

    node: Operand | Condition
    kind: str
    column: int
    depth: int = 1


Child = Part | Token | None


def column_of(token: Token) -> int:
    """Counted over the whole statement: line breaks are spaces like any other."""
    return cast("int", token.start_pos) + 1


def value(part: Part, use: str, *kinds: str) -> Operand:
    """The part's node, if it can be a value of one of these kinds."""
    if part.kind == CONDITION:
        raise Wrong(NOT_A_VALUE, part.column)
    if part.kind not in (ANY, *kinds):
        raise Wrong(f"{use} {' or '.join(kinds)}, not {part.kind}", part.column)
    return cast("Operand", part.node)


def condition(part: Part) -> Condition:
    """The part's node, if it can be true or false."""
    if part.kind not in (CONDITION, ANY, BOOLEAN):
        raise Wrong(f"a condition should stand here, not just {part.kind}: compare it", part.column)
    return cast("Condition", part.node)


def built(node: Operand | Condition, kind: str, *parts: Part) -> Part:
    """A part made of parts; it stands where the first of them does."""
    depth = 1 + max(part.depth for part in parts)
    if depth > MAX_DEPTH:
        raise Wrong(f"this nests deeper than {MAX_DEPTH} levels: split the statement", parts[0].column)
    return Part(node, kind, parts[0].column, depth)


def parts_of(children: list[Child]) -> list[Part]:
    return [child for child in children if isinstance(child, Part)]


class Builder:
    """One method a rule of grammar.lark, named as the rule."""

    def start(self, children: list[Child]) -> Part:
        (part,) = parts_of(children)
        return Part(condition(part), CONDITION, part.column, part.depth)

    # Values

    def word(self, children: list[Token]) -> Part:
        return Part(nodes.Name(str(children[0])), ANY, column_of(children[0]))

    def quoted(self, children: list[Token]) -> Part:
        return Part(nodes.Name(read_name(children[0])), ANY, column_of(children[0]))

    def text(self, children: list[Token]) -> Part:
        return Part(nodes.Literal(read_text(children[0])), TEXT, column_of(children[0]))

    def truth(self, children: list[Token]) -> Part:
        return Part(nodes.Literal(children[0].type == "TRUE"), BOOLEAN, column_of(children[0]))

    def number(self, children: list[Token]) -> Part:
        token = children[0]
        try:
            return Part(nodes.Literal(read_number(token)), NUMBER, column_of(token))
        except ValueError as exc:
            raise Wrong(str(exc), column_of(token)) from exc

    def signed_number(self, children: list[Token]) -> Part:
        return self.signed([children[0], self.number(children[1:])])

    def signed(self, children: list[Child]) -> Part:
        sign, part = cast("tuple[Token, Part]", children)
        operand = value(part, "a sign needs", NUMBER)
        if sign.type == "MINUS" and isinstance(operand, nodes.Literal):
            return Part(nodes.Literal(-cast("float", operand.value)), NUMBER, column_of(sign))
        # A plus says nothing, except that this must be a number.
        node = nodes.Negate(operand) if sign.type == "MINUS" else operand
        return built(node, NUMBER, replace(part, column=column_of(sign)))

    def arithmetic(self, children: list[Child]) -> Part:
        left, operator, right = cast("tuple[Part, Token, Part]", children)
        use = f"{operator} needs"
        node = nodes.Arithmetic(str(operator), value(left, use, NUMBER), value(right, use, NUMBER))
        return built(node, NUMBER, left, right)

    # Conditions

    def comparison(self, children: list[Child]) -> Part:
        left, operator, right = cast("tuple[Part, Token, Part]", children)
        kinds = (NUMBER, TEXT, BOOLEAN) if operator in ("=", "<>") else (NUMBER,)
        use = f"both sides of {operator} must be"
        node = nodes.Compare(str(operator), value(left, use, *kinds), value(right, use, *kinds))
        if ANY not in (left.kind, right.kind) and left.kind != right.kind:
            raise Wrong(f"{right.kind} can never equal {left.kind}", right.column)
        return built(node, CONDITION, left, right)

    def between(self, children: list[Child]) -> Part:
        parts = parts_of(children)
        operand, low, high = (value(part, "what BETWEEN compares must be", NUMBER) for part in parts)
        return built(nodes.Between(operand, low, high, negated=_has_not(children)), CONDITION, *parts)

    def within(self, children: list[Child]) -> Part:
        operand, *constants = parts_of(children)
        kind = constants[0].kind
        literals = [value(part, "what IN lists must be", NUMBER, TEXT) for part in constants]
        for part in constants:
            if part.kind != kind:
                raise Wrong(f"IN lists texts or numbers, not both: this is {part.kind}", part.column)
        tested = value(operand, "what this IN compares must be", kind)
        listed = dict.fromkeys(cast("nodes.Literal", literal).value for literal in literals)
        return built(nodes.In(tested, tuple(listed), negated=_has_not(children)), CONDITION, operand)

    def like(self, children: list[Child]) -> Part:
        operand, negation, _like, pattern, _escape, escape = cast(
            "tuple[Part, Token | None, Token, Token, Token | None, Token | None]", children
        )
        node = nodes.Like(
            value(operand, "what LIKE compares must be", TEXT),
            read_text(pattern),
            None if escape is None else _escape_of(escape),
            negated=negation is not None,
        )
        _check_pattern(node, pattern)
        return built(node, CONDITION, operand)

    def is_null(self, children: list[Child]) -> Part:
        (operand,) = parts_of(children)
        node = nodes.IsNull(value(operand, "", NUMBER, TEXT, BOOLEAN), negated=_has_not(children))
        return built(node, CONDITION, operand)

    def negation(self, children: list[Child]) -> Part:
        token, part = cast("tuple[Token, Part]", children)
        return built(nodes.Not(condition(part)), CONDITION, replace(part, column=column_of(token)))

    def both(self, children: list[Child]) -> Part:
        return _joined(nodes.And, parts_of(children))

    def either(self, children: list[Child]) -> Part:
        return _joined(nodes.Or, parts_of(children))


def _has_not(children: list[Child]) -> bool:
    return any(isinstance(child, Token) and child.type == "NOT" for child in children)


def _joined(join: Callable[[tuple[Condition, ...]], nodes.And | nodes.Or], parts: list[Part]) -> Part:
    """Flat: `(a AND b) AND c` is `a AND b AND c`, with three values of truth too."""
    flat: list[Condition] = []
    for part in parts:
        node = condition(part)
        if isinstance(node, nodes.And | nodes.Or) and type(node) is join:
            flat.extend(node.parts)
        else:
            flat.append(node)
    return built(join(tuple(flat)), CONDITION, *parts)


def _escape_of(token: Token) -> str:
    escape = read_text(token)
    if len(escape) != 1:
        raise Wrong(f"ESCAPE takes one character, not {len(escape)}", column_of(token))
    return escape


def _check_pattern(node: nodes.Like, token: Token) -> None:
    try:
        like.read_pattern(node.pattern, node.escape)
    except ValueError as exc:
        raise Wrong(str(exc), column_of(token)) from exc
