"""A statement's text → its nodes, or BadSelector with the column and what could stand there.

The only file that talks to lark. A statement is text from anywhere: its length and nesting are
bounded, and nothing in it is ever executed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken

from penstock.errors import BadSelector
from penstock.wiring.selector import nodes
from penstock.wiring.selector.building import Builder, Part, Wrong
from penstock.wiring.selector.literals import KEYWORDS

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition

__all__ = ["MAX_LENGTH", "check_length", "read"]

#: Characters; a statement travels in one AMQP field of a frame, and ours stays well below.
MAX_LENGTH: Final = 4096
#: How much of a statement an error quotes.
QUOTED_AT_MOST: Final = 200

#: What a person calls what could stand somewhere, in the order to be listed.
CALLED: Final = {
    "WORD": "a property's name",
    "TEXT": "a text in 'quotes'",
    "NUMBER": "a number",
    "COMPARISON": "a comparison (= <> < <= > >=)",
    "TRUE": "TRUE or FALSE",
    "TIMES": "+ - * /",
    "AND": "AND",
    "OR": "OR",
    "NOT": "NOT",
    "BETWEEN": "BETWEEN",
    "IN": "IN",
    "LIKE": "LIKE",
    "ESCAPE": "ESCAPE",
    "IS": "IS",
    "NULL": "NULL",
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": ",",
    "$END": "the end",
}
#: What those who come from another language write, and what it is here.
HINTS: Final = {
    "==": "equality is one =",
    "!=": "'not equal' is <>",
    "!": "'not' is NOT, and 'not equal' is <>",
    "&": "'and' is AND",
    "|": "'or' is OR",
    "'": "this text has no closing '",
    '""': "a name cannot be empty; a text stands in single quotes",
    '"': 'this name has no closing "; a text stands in single quotes',
}
NULL_HINT: Final = "NULL is asked for by IS NULL or IS NOT NULL"


def check_length(statement: str) -> None:
    """Refuse what nobody would write by hand.

    Raises:
        BadSelector: it is too long.
    """
    if len(statement) > MAX_LENGTH:
        message = f"a selector has at most {MAX_LENGTH} characters, this one {len(statement)}"
        raise BadSelector(message, statement=_quoted(statement), column=MAX_LENGTH + 1)


def read(statement: str) -> Condition:
    """The statement's nodes; a blank one asks for everything (JMS 2.0 §3.8.1.1).

    Raises:
        BadSelector: with the column, and what could stand there.
    """
    if not statement.strip():
        return nodes.Literal(value=True)
    try:
        part = cast("Part", cast("object", parser().parse(statement)))
    except Wrong as exc:
        raise BadSelector(str(exc), statement=_quoted(statement), column=exc.column) from exc
    except UnexpectedCharacters as exc:
        raise _refused(statement, cast("int", exc.pos_in_stream), set()) from exc
    except UnexpectedToken as exc:
        raise _refused(statement, _position(exc.token, statement), exc.accepts or set(), exc.token) from exc
    return cast("Condition", part.node)


@cache
def parser() -> Lark:
    """Built at first use: importing the package costs nothing."""
    return Lark.open(
        "grammar.lark",
        rel_to=__file__,
        parser="lalr",
        lexer="basic",
        transformer=cast("Any", Builder()),
        lexer_callbacks={"WORD": keyword},
    )


def keyword(word: Token) -> Token:
    """Keywords in any case. ASCII only: others have letters whose capital is an S or a K."""
    upper = word.upper()
    return word.update(type=upper) if upper in KEYWORDS and word.isascii() else word


def _position(token: Token, statement: str) -> int:
    return len(statement) if token.type == "$END" else cast("int", token.start_pos)


def _refused(statement: str, position: int, accepts: set[str], token: Token | None = None) -> BadSelector:
    message = _hint(statement, position, token) or f"found {_found(statement, position, token)}"
    expected = [called for terminal, called in CALLED.items() if terminal in accepts]
    if expected:
        message += f"; here could stand: {', '.join(expected)}"
    return BadSelector(message, statement=_quoted(statement), column=position + 1)


def _hint(statement: str, position: int, token: Token | None) -> str | None:
    if token is not None and token.type == "NULL":
        return NULL_HINT
    if statement[position - 1 : position + 1] == "==":
        return HINTS["=="]
    return HINTS.get(statement[position : position + 2]) or HINTS.get(statement[position : position + 1])


def _found(statement: str, position: int, token: Token | None) -> str:
    if position >= len(statement):
        return "the end of the statement"
    if token is not None and token.type in KEYWORDS:
        return f"{token.upper()}, a keyword (a property of that name is written in double quotes)"
    return _quoted(str(token) if token is not None else repr(statement[position]))


def _quoted(statement: str) -> str:
    return statement if len(statement) <= QUOTED_AT_MOST else statement[:QUOTED_AT_MOST] + "…"
