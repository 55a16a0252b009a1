"""The regular expressions of permissions: RabbitMQ's meaning, and a bound on what one can cost.

A pattern is searched in a name, so ^ and $ are for its author to write; the empty pattern fits only the
empty name (rabbit_auth_backend_internal.erl). Administrators write patterns but clients choose the names, and
Python's matcher knows no limit: a pattern that could try too many ways is refused when it is written.
"""

from __future__ import annotations

import re
import warnings

# The parser that `re` itself uses; it has no public name since sre_parse was retired.
from re import _parser as parser
from typing import Any, Final

from penstock.errors import BadPermission

__all__ = ["check_pattern", "compiled", "expanded"]

#: Characters; RabbitMQ's bound (rabbit_re.erl).
LONGEST: Final = 1024
#: The longest name a client can send: a short string (AMQP 0-9-1 §4.2.5.3).
LONGEST_NAME: Final = 255
#: How many ways to fit a name a pattern may have by the estimate below: three `.*`, or two without a ^.
#: Measured for `^.*a.*a.*b` on 255 a's: 10 ms. RabbitMQ gives up after 50 000 steps (rabbit_re.erl).
MOST_WAYS: Final = (LONGEST_NAME + 1) ** 3


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that cannot be read, or could take too long.

    Raises:
        BadPermission: saying what is wrong with it.
    """
    if len(pattern) > LONGEST:
        raise BadPermission(f"a pattern has at most {LONGEST} characters, this one {len(pattern)}")
    try:
        with warnings.catch_warnings():
            # "Possible nested set": [[:alpha:]] and its kin mean something else to Python than to RabbitMQ.
            warnings.simplefilter("error")
            re.compile(pattern)
            tree = parser.parse(pattern)
    except (re.error, Warning, OverflowError, RecursionError) as wrong:
        raise BadPermission(f"pattern {pattern!r} cannot be read: {wrong}") from wrong
    ways = _ways(tree) * (1 if _is_anchored(tree) else LONGEST_NAME + 1)
    if ways > MOST_WAYS:
        raise BadPermission(
            f"pattern {pattern!r} could take too long: "
            "write it with fewer repetitions, or none within another"
        )


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern to search with."""
    return re.compile(pattern or "^$")


def expanded(pattern: str, variables: dict[str, str]) -> str:
    """The pattern with each {variable} replaced by what it stands for, taken literally; others stay."""
    for name, value in variables.items():
        pattern = pattern.replace(f"{{{name}}}", re.escape(value))
    return pattern


def _is_anchored(tree: Any) -> bool:
    """Whether the search can stop after the first place."""
    if not len(tree):
        return False
    operation, argument = tree[0]
    return operation is parser.AT and argument in {parser.AT_BEGINNING, parser.AT_BEGINNING_STRING}


def _ways(tree: Any) -> int:
    """How many ways there are at most to fit a name; a sequence multiplies, a choice adds."""
    ways = 1
    for operation, argument in tree:
        ways *= _ways_of(str(operation), argument)
        if ways > MOST_WAYS:
            break
    return ways


def _ways_of(operation: str, argument: Any) -> int:
    match operation:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeated(*argument)
        case "BRANCH":
            return sum(_ways(choice) for choice in argument[1])
        case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
            return _ways(argument[-1])
        case "ATOMIC_GROUP":
            return _ways(argument)
        case "GROUPREF_EXISTS":
            return _ways(argument[1]) + _ways(argument[2] or ())
        case _:
            return 1


def _repeated(least: Any, most: Any, body: Any) -> int:
    """The ways of a repetition: one for each count, each as many times as the body has ways."""
    ways, fewest, highest = _ways(body), min(int(least), LONGEST_NAME), min(int(most), LONGEST_NAME)
    if ways == 1:
        return highest - fewest + 1
    total = 0
    for count in range(fewest, highest + 1):
        total += ways**count
        if total > MOST_WAYS:
            break
    return total
