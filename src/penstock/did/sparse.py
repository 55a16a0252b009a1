"""JSON that strangers wrote and that may be large: large texts are read, crowds of small values are not.

An activity has megabytes for the linkset of a full batch, which stands in it as a few long texts. The same
megabytes of empty lists would be five million values: measured, they take 6 s, in which nobody else is
answered, and 60 times their size in memory. Pure.
"""

from __future__ import annotations

from typing import Any, Final

from penstock.errors import MalformedJson
from penstock.sidetree.canonical import parse

__all__ = ["parse_sparse"]

#: Values, give or take: ten thousand operations, each with the anchor before it, have 40,000 in a linkset.
MOST: Final = 100_000
#: No value begins without one of them, but the first.
MARKS: Final = (b",", b"[", b"{")


def parse_sparse(data: bytes) -> Any:
    """The value that these bytes say.

    Raises:
        MalformedJson: none, or it is a crowd.
    """
    if len(data) > MOST and sum(map(data.count, MARKS)) > MOST:
        raise MalformedJson(f"JSON of more than {MOST} values is not taken")
    return parse(data)
