"""What a selector statement says, as immutable nodes.

Nodes only hold: reading, printing, evaluating and explaining are files of their own. They know
neither columns nor text; a node is built only after its parts have been checked, so whatever can be
built can be evaluated. Fields are positional, against the habit: a tree reads like its statement.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "And",
    "Arithmetic",
    "Between",
    "Compare",
    "Condition",
    "In",
    "IsNull",
    "Like",
    "Literal",
    "Name",
    "Negate",
    "Not",
    "Operand",
    "Or",
]


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written in the statement."""

    value: bool | int | float | str


@dataclass(frozen=True, slots=True)
class Name:
    """The value of the property of that name, NULL if the message has none."""

    name: str


@dataclass(frozen=True, slots=True)
class Negate:
    """Unary minus; never on a literal, which is negative itself then."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left + right`, and the other three."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Compare:
    """`left = right`, and the other five."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """`operand BETWEEN low AND high`, both ends included."""

    operand: Operand
    low: Operand
    high: Operand
    negated: bool = False


@dataclass(frozen=True, slots=True)
class In:
    """`operand IN (values)`: all texts, or all numbers."""

    operand: Operand
    values: tuple[int | float | str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """`operand LIKE pattern ESCAPE escape`."""

    operand: Operand
    pattern: str
    escape: str | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """`operand IS NULL`."""

    operand: Operand
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """`NOT part`."""

    part: Condition


@dataclass(frozen=True, slots=True)
class And:
    """`part AND part AND …`: two parts or more, none of them an And itself."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """`part OR part OR …`: two parts or more, none of them an Or itself."""

    parts: tuple[Condition, ...]


#: What has a value.
Operand = Literal | Name | Negate | Arithmetic
#: What is true, false or unknown; a name and a literal are, if their value is a boolean.
Condition = Compare | Between | In | Like | IsNull | Not | And | Or | Name | Literal
