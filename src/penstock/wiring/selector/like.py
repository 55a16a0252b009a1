"""LIKE: `%` stands for any characters, none too, `_` for exactly one, escaped ones for themselves.

The pattern is cut at its `%`; the first piece must stand at the beginning, the last at the end, and
each in between at the first place it fits after the one before it. The first place is always good
enough, so nothing is ever tried twice: one pass over the text, whatever the pattern. A regular
expression would go back and forth: `%a%a%a%a%b` against many a's takes it minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["matcher", "read_pattern"]

#: What `_` is in a piece: any one character.
ONE: Final = None
Piece = tuple["str | None", ...]


def read_pattern(pattern: str, escape: str | None) -> list[Piece]:
    """The pieces between the pattern's `%`.

    Raises:
        ValueError: the escape character stands before something that needs no escape.
    """
    pieces: list[list[str | None]] = [[]]
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            pieces[-1].append(_escaped(next(characters, None), escape))
        elif character == "%":
            pieces.append([])
        else:
            pieces[-1].append(ONE if character == "_" else character)
    return [tuple(piece) for piece in pieces]


def _escaped(character: str | None, escape: str) -> str:
    if character in ("%", "_", escape) and character is not None:
        return character
    found = "ends the pattern" if character is None else f"stands before {character!r}"
    raise ValueError(f"the escape character {escape!r} {found}: it can stand before %, _ and itself only")


def matcher(pattern: str, escape: str | None) -> Callable[[str], bool]:
    """A function that says whether a text is like the pattern."""
    first, *others = read_pattern(pattern, escape)
    if not others:
        return _exactly(first)
    *middle, last = others
    starts, ends = _at(first), _at(last)
    finders = [_finder(piece) for piece in middle if piece]
    ends_in = len(last)

    def is_like(text: str) -> bool:
        if not starts(text, 0):
            return False
        place = len(first)
        for find in finders:
            place = find(text, place)
            if place < 0:
                return False
        end = len(text) - ends_in
        return end >= place and ends(text, end)

    return is_like


def _exactly(piece: Piece) -> Callable[[str], bool]:
    fits, length = _at(piece), len(piece)
    return lambda text: len(text) == length and fits(text, 0)


def _at(piece: Piece) -> Callable[[str, int], bool]:
    """A function that says whether the piece stands at a place."""
    whole = _text_of(piece)
    if whole is not None:
        return lambda text, place: text.startswith(whole, place)

    def fits(text: str, place: int) -> bool:
        if len(text) - place < len(piece):
            return False
        return all(want in (ONE, text[place + i]) for i, want in enumerate(piece))

    return fits


def _finder(piece: Piece) -> Callable[[str, int], int]:
    """A function that gives the place behind the first fit from a place on, or -1."""
    whole = _text_of(piece)
    if whole is not None:
        length = len(whole)

        def find_text(text: str, place: int) -> int:
            found = text.find(whole, place)
            return found if found < 0 else found + length

        return find_text
    return _shifting_finder(piece)


def _shifting_finder(piece: Piece) -> Callable[[str, int], int]:
    """Shift-And: bit i of `alive` says that the last i+1 characters fit the piece's first i+1.

    A piece with `_` in it cannot be looked for by str.find, and trying place after place would cost
    the text's length times the piece's.
    """
    anything = sum(1 << i for i, want in enumerate(piece) if want is ONE)
    fits = {want: anything for want in piece if want is not ONE}
    for i, want in enumerate(piece):
        if want is not ONE:
            fits[want] |= 1 << i
    done = 1 << (len(piece) - 1)

    def find(text: str, place: int) -> int:
        alive = 0
        for i in range(place, len(text)):
            alive = (alive << 1 | 1) & fits.get(text[i], anything)
            if alive & done:
                return i + 1
        return -1

    return find


def _text_of(piece: Piece) -> str | None:
    return None if ONE in piece else "".join(want for want in piece if want is not ONE)
