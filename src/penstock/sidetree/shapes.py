"""The questions that every part of an operation is asked: is it an object, with these members and no others?

The specification has unknown members refused. Each refusal says which part it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadEncoding, InvalidOperation
from penstock.sidetree.multihash import check_hash

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from penstock.errors import SidetreeError

__all__ = ["encoded_hash", "instant", "members"]

NOTHING: frozenset[str] = frozenset()

#: Beyond the times that Orb's nodes can read.
FAR: Final = 2**63


def members(
    value: Any,
    what: str,
    needed: AbstractSet[str],
    optional: AbstractSet[str] = NOTHING,
    *,
    error: type[SidetreeError] = InvalidOperation,
) -> dict[str, Any]:
    """The object, if it has all that is needed and nothing unknown."""
    if not isinstance(value, dict):
        raise error(f"{what} must be an object")
    if value.keys() == needed:
        return value
    if missing := needed - value.keys():
        raise error(f"{what} has no {min(missing)!r}")
    if unknown := value.keys() - needed - optional:
        raise error(f"{what} has no member {min(unknown)[:50]!r}")
    return value


def encoded_hash(value: Any, what: str, longest: int) -> str:
    """The text, if it is a multihash of SHA-256 and no longer than this."""
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidOperation(f"{what} must be an encoded hash of at most {longest} letters")
    try:
        check_hash(value)
    except BadEncoding as exc:
        raise InvalidOperation(f"{what} is {exc}") from exc
    return value


def instant(value: Any, what: str) -> int | None:
    """Seconds since 1970, or nothing: Orb takes a zero for nothing, and throws a batch away for 2^63."""
    if value is None:
        return None
    # True is an int to Python, and no time to anybody.
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= FAR:
        raise InvalidOperation(f"{what} must be a whole number of seconds, in 64 bits")
    return value or None
