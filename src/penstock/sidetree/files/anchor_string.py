"""The anchor string: how many operations, and where their core index file is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.errors import BadBatchFile

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["AnchorString", "read_anchor_string"]

FILE: Final = "anchor string"
COUNT: Final = re.compile(r"[1-9][0-9]*", re.ASCII)


class AnchorString(Struct, frozen=True, gc=False):
    """As text: `3.hl:uEiC…`."""

    count: int
    core_index: str

    def __str__(self) -> str:
        return f"{self.count}.{self.core_index}"


def read_anchor_string(text: str, protocol: Protocol) -> AnchorString:
    """What an anchor string says.

    Raises:
        BadBatchFile: it is none, or promises more operations than a batch may have.
    """
    parts = text.split(".")
    if len(parts) != 2 or not COUNT.fullmatch(parts[0]) or not parts[1]:  # noqa: PLR2004  two, the rule says
        raise BadBatchFile(FILE, f"it must be <count>.<address of the core index file>, not {text[:60]!r}")
    # A number of more digits than any limit has is over it, and need not be made.
    if len(parts[0]) > len(str(protocol.max_operation_count)) or int(parts[0]) > protocol.max_operation_count:
        raise BadBatchFile(FILE, f"a batch has at most {protocol.max_operation_count} operations")
    if len(parts[1]) > protocol.max_cas_uri_length:
        raise BadBatchFile(FILE, f"an address has at most {protocol.max_cas_uri_length} letters")
    return AnchorString(int(parts[0]), parts[1])
