"""Compact JWS as nearly all authors send them: the signature has 64 bytes."""

from __future__ import annotations

from binascii import a2b_base64
from typing import TYPE_CHECKING, Final

from penstock.errors import BadSignature
from penstock.sidetree.base64url import ENDINGS
from penstock.sidetree.jws import Parts, algorithm_of

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["usual_jws"]

#: Letters of 64 bytes; and what may be the last of them, since four of its bits are behind the last byte.
SIGNATURE: Final = 86
LAST: Final = ENDINGS[SIGNATURE % 4][0]

#: To the letters that are decoded; those that would be taken for them become some of neither alphabet.
DECODED: Final = bytes.maketrans(b"-_+/", b"+/!!")


def usual_jws(compact: str, algorithms: Collection[str]) -> Parts | None:
    """The parts of a compact JWS, if it is usual.

    The same that `parts_of` gives, with no question asked twice: 1.6 µs, and 2.9 there.
    """
    try:
        written = compact.encode("ascii")
        header, payload, signature = written.split(b".")
        algorithm = algorithm_of(compact[: len(header)])
        if algorithm not in algorithms:
            return None
        last, padding = ENDINGS[len(payload) % 4]
        if payload[-1] not in last or len(signature) != SIGNATURE or signature[-1] not in LAST:
            return None
        return Parts(
            algorithm,
            a2b_base64(payload.translate(DECODED) + padding, strict_mode=True),
            written[: -SIGNATURE - 1],
            a2b_base64(signature.translate(DECODED) + b"==", strict_mode=True),
        )
    except (BadSignature, IndexError, ValueError):
        return None
