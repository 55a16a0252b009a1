"""Wildcards: words separated by dots, and patterns over them.

One matcher serves two levels. Over words, `#` stands for zero or more words; inside a word, `*`
stands for any run of characters and `?` for exactly one. So a word that is `*` stands for exactly
one word, whatever it is, and DEST-WILD's patterns mean the same here; "eu-*" and "*.pdf" work too.
There is no escape: who must find a literal `*` compares for equality, with PROP-TEST or SELECTOR.

Nothing here knows messages or proxies, and nothing tracks back further than the last run: the cost
of a match is at most the pattern's length times the text's, whoever wrote either.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "ANY_WORD",
    "ANY_WORDS",
    "fits",
    "has_wildcards",
    "literal_ends",
    "settled",
    "settled_value",
    "split_words",
    "value_fits",
    "words_fit",
]

#: Exactly one word.
ANY_WORD: Final = "*"
#: Zero or more words.
ANY_WORDS: Final = "#"
#: Any run of characters inside a word, also an empty one.
ANY_CHARACTERS: Final = "*"
#: Exactly one character inside a word.
ANY_CHARACTER: Final = "?"

Asked = TypeVar("Asked")
Found = TypeVar("Found")


def split_words(text: str) -> list[str]:
    """The words of a text. An empty text has none; "a..b" has three, the middle one empty."""
    return text.split(".") if text else []


def fits(
    pattern: Sequence[Asked],
    found: Sequence[Found],
    run: Asked,
    is_one: Callable[[Asked, Found], bool],
) -> bool:
    """Whether the pattern covers all that was found: `run` covers any number, anything else one.

    Two pointers. On a difference the last run takes one item more and all after it starts again;
    an earlier run never has to, since what it left was the most that could be left.
    """
    at = here = 0
    after_run = -1
    run_ends = 0
    while here < len(found):
        if at < len(pattern) and pattern[at] == run:
            at = after_run = at + 1
            run_ends = here
        elif at < len(pattern) and is_one(pattern[at], found[here]):
            at += 1
            here += 1
        elif after_run >= 0:
            run_ends += 1
            at, here = after_run, run_ends
        else:
            return False
    return all(asked == run for asked in pattern[at:])


def settled(pattern: Sequence[str], one: str, run: str) -> list[str]:
    """The pattern in the one form all its equals share: in a row of wildcards, the run comes last, once.

    `#.*` and `*.#.#` both ask for one word or more; settled, both are `*.#`.
    """
    result: list[str] = []
    for is_wild, row in groupby(pattern, lambda asked: asked in {one, run}):
        items = list(row)
        if is_wild:
            ones = items.count(one)
            items = [one] * ones + [run] * (ones < len(items))
        result += items
    return result


# Over words alone, as DEST-WILD asks


def words_fit(asked: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a destination's words are what a pattern of words asks for."""
    return fits(asked, words, ANY_WORDS, _is_asked_word)


def _is_asked_word(asked: str, word: str) -> bool:
    return asked in {ANY_WORD, word}


# Over words and inside them, as PROP-WILD asks


def has_wildcards(pattern: str) -> bool:
    """Whether a value pattern can fit any value but itself."""
    return ANY_CHARACTERS in pattern or ANY_CHARACTER in pattern or ANY_WORDS in split_words(pattern)


def literal_ends(pattern: str) -> tuple[str, str]:
    """What every value that fits begins and ends with: a cheap first question.

    A dot beside a wildcard is left out, since `#` may stand for no words and takes its dot with it.
    """
    between = re.split(r"[*?#]", pattern)
    return between[0].removesuffix("."), between[-1].removeprefix(".")


def value_fits(pattern: str, value: str) -> bool:
    """Whether a value is what a value pattern asks for."""
    return fits(split_words(pattern), split_words(value), ANY_WORDS, _is_like)


def settled_value(pattern: str) -> str:
    """A value pattern in the form all its equals share, at both levels."""
    words = ["".join(settled(word, ANY_CHARACTER, ANY_CHARACTERS)) for word in split_words(pattern)]
    return ".".join(settled(words, ANY_WORD, ANY_WORDS))


def _is_like(asked: str, word: str) -> bool:
    return asked == word or fits(asked, word, ANY_CHARACTERS, _is_asked_character)


def _is_asked_character(asked: str, character: str) -> bool:
    return asked in {ANY_CHARACTER, character}
