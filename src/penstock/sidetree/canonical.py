"""JSON in and out: strict parsing, and the one canonical form that is hashed (RFC 8785).

    parse(b'{"b":1, "a":2.0}')   →  {"b": 1, "a": 2.0}
    canonical({"b": 1, "a": 2.0})  →  b'{"a":2,"b":1}'

Both have a short road by msgspec and a plain one. The short road is taken when its result proves
that nothing rare is inside: no number that the two write differently, no key beyond ASCII, no key twice.
An update of 750 bytes is parsed in 5 µs and written in 3; `json.dumps` with sorted keys takes 7, the package
rfc8785 28 (bench/sidetree.py).
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import MalformedJson
from penstock.sidetree.depth import DEEPEST, written_too_deep
from penstock.sidetree.numbers import ecmascript

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["canonical", "parse"]

#: The integers that a double holds without gaps (RFC 8785 §3.2.2.3, I-JSON).
EXACT: Final = 2**53

#: A number that msgspec might write in another way than ECMAScript does: with a point, an exponent
#: or at least 16 digits. In compact JSON one of these bytes, or nothing, stands before a number, and before a
#: colon the end of a name. Inside a text it may match for nothing, which costs time only; a time of day does
#: not: a linkset of ten thousand operations, issued at 21:52:35.123, would be read by the plain road for it.
RARE_NUMBER: Final = re.compile(rb"(?:\A|(?<=\"):|[,\[])-?\d(?:\d*[.eE]|\d{15})")

#: Most operations have no number at all, which is seen ten times faster than any regular expression does: all
#: that may stand before a number is one byte here, and all that may begin one is another.
MARKS: Final = bytes.maketrans(b":,[-0123456789", b":::00000000000")

#: Places that are looked at one by one. Where there are millions, as in a text of colons and digits, the
#: expression looks for itself: half a second for 16 megabytes of them, and not four.
MOST_PLACES: Final = 1000
decode: Final = msgspec.json.Decoder().decode
compact: Final = msgspec.json.Encoder().encode
in_order: Final = msgspec.json.Encoder(order="sorted").encode


def parse(data: bytes, *, any_depth: bool = False) -> Any:
    """The value that these bytes say, and that nobody can read in another way.

    Args:
        any_depth: leave it to the caller to see that nothing nests too deep, as a list of 10,000 entries
            that are looked at one by one can do faster.

    Raises:
        MalformedJson: no JSON in UTF-8, a key twice in one object, half a surrogate pair, a number that
            a double cannot hold, or objects in objects without end.
    """
    try:
        value = decode(data)
        if not any_depth and written_too_deep(value, data):
            raise MalformedJson(f"JSON that nests deeper than {DEEPEST} levels is not taken")
        if compact(value) == data and not rare_number(data):
            return value
        return careful(data)
    except RecursionError:
        raise MalformedJson("this JSON nests too deep") from None
    except (OverflowError, ValueError) as exc:
        raise MalformedJson(f"no JSON that can be taken: {exc}") from exc


def rare_number(data: bytes) -> bool:
    """Whether there may be a number that must be looked at."""
    marked = data.translate(MARKS)
    if marked.startswith(b"0") and RARE_NUMBER.match(data):
        return True
    # A file of a batch has a million bytes, and one colon before a digit, of a port in somebody's URL.
    place = marked.find(b":0")
    for _ in range(MOST_PLACES):
        if place < 0:
            return False
        if RARE_NUMBER.match(data, place):
            return True
        place = marked.find(b":0", place + 1)
    return RARE_NUMBER.search(data, place) is not None


def careful(data: bytes) -> Any:
    """The same value again by the plain road, where every integer and every object is looked at.

    msgspec has read it before: it is JSON, in UTF-8, with no half of a pair and no number out of range.
    """
    return json.loads(
        data.decode("utf-8"),
        object_pairs_hook=once_each,
        parse_int=exact,
    )


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:50]!r} stands twice in one object")
        found[key] = value
    return found


def exact(digits: str) -> float:
    """The integer; or the double that is written so, with zeros for digits that it does not have."""
    number = int(digits)
    if abs(number) <= EXACT or int(float(number)) == number:
        return number
    if ecmascript(float(number)) == digits:
        return float(number)
    raise ValueError(f"{digits[:50]} cannot be held exactly by a double")


def canonical(value: Any) -> bytes:
    """The bytes that stand for this value in every implementation.

    Raises:
        MalformedJson: the value is none that JSON has.
    """
    try:
        written = in_order(value)
        # msgspec sorts keys by code points, RFC 8785 by UTF-16 units; for ASCII they agree.
        # It writes null for NaN, so a null is looked at too.
        if written.isascii() and b"null" not in written and not rare_number(written):
            return written
        return "".join(plainly(value)).encode("utf-8")
    except RecursionError:
        raise MalformedJson("this value nests too deep for JSON") from None
    except (OverflowError, TypeError, ValueError) as exc:
        raise MalformedJson(f"this value has no canonical JSON: {exc}") from exc


def plainly(value: Any) -> Iterator[str]:
    """RFC 8785 §3.2, word by word."""
    match value:
        case str():
            yield encode_basestring(value)
        case None | bool():
            yield {None: "null", True: "true", False: "false"}[value]
        case int() | float():
            yield ecmascript(value)
        case dict():
            yield "{"
            for position, key in enumerate(sorted(value, key=utf_16)):
                yield f"{',' if position else ''}{encode_basestring(key)}:"
                yield from plainly(value[key])
            yield "}"
        case list() | tuple():
            yield "["
            for position, item in enumerate(value):
                if position:
                    yield ","
                yield from plainly(item)
            yield "]"
        case _:
            raise TypeError(f"{type(value).__name__} is no kind of JSON value")


def utf_16(key: str) -> bytes:
    return key.encode("utf-16-be")
