"""Whether a version of the protocol takes whatever is usual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.sidetree.go_uris import ENDPOINTS
from penstock.sidetree.patches.public_keys import PURPOSES
from penstock.sidetree.uris import REFERENCES
from penstock.sidetree.usual.deltas import ACTIONS, KEY_TYPE
from penstock.sidetree.usual.keys import CURVES

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["are_taken"]

#: Letters of an encoded hash.
HASH_LENGTH: Final = 46


def are_taken(protocol: Protocol) -> bool:
    """Whether the usual shapes hold by this version's rules; one that takes less has all looked at."""
    return (
        protocol.patches >= ACTIONS
        and protocol.key_curves >= CURVES
        and protocol.repeated_purposes
        and protocol.extensions
        and protocol.max_operation_hash_length >= HASH_LENGTH
        and protocol.endpoints in (ENDPOINTS, REFERENCES)
        and (protocol.key_types is None or protocol.key_types.get(KEY_TYPE, frozenset()) >= PURPOSES)
    )
