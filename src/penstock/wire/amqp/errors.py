"""What goes wrong on the AMQP wire, by whose fault it is.

* PenstockError
    * CannotEncode: the caller's value has no place on the wire
    * Malformed: the peer's bytes break the standard; inside a Decoder it becomes a Failure item

The Decoder itself never raises: a peer's mistake is an item like any other.
"""

from __future__ import annotations

from penstock.errors import PenstockError

__all__ = ["CannotEncode", "Malformed"]


class CannotEncode(PenstockError, ValueError):
    """A value that AMQP 0-9-1 cannot carry: too long, too large or of no wire type."""


class Malformed(PenstockError, ValueError):
    """Bytes that break the grammar of AMQP 0-9-1 (§4.2)."""
