"""JSON that nests deeper than any stack: it is well formed, and nobody can read it."""

from __future__ import annotations

__all__ = ["ENDLESS", "with_endless"]

ENDLESS = b"[" * 100_000 + b"]" * 100_000


def with_endless(member: str, whole: bytes = b"{}") -> bytes:
    """The same object with such a member."""
    rest = whole.removeprefix(b"{")
    comma = b"" if rest == b"}" else b","
    return b'{"%b":%b%b%b' % (member.encode(), ENDLESS, comma, rest)
