"""What errors of one kind have in common, whatever names and numbers are in their text. Pure."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

__all__ = ["fingerprint", "pattern"]

#: Characters of an error's first line that tell kinds apart.
LONGEST: Final = 300

#: What differs between two errors of a kind, in the order in which it is taken out.
_PARTICULARS: Final = (
    (re.compile(r"0x[0-9a-f]+", re.IGNORECASE), "#"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "#"),
    # Ids and hashes: a digit is among them, or "deadbeef" would be no word.
    (re.compile(r"\b(?=[a-f]*[0-9])[0-9a-f]{8,}\b", re.IGNORECASE), "#"),
    (re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`"), "'…'"),
    (re.compile(r"[+-]?\d+(?:[.,:]\d+)*"), "#"),
    (re.compile(r"\s+"), " "),
)


def pattern(error: str) -> str:
    """The error's first line without its particulars."""
    lines = error.strip().splitlines()
    text = lines[0][:LONGEST] if lines else ""
    for particular, stand_in in _PARTICULARS:
        text = particular.sub(stand_in, text)
    return text.strip()


def fingerprint(error_class: str, error: str, reason: str) -> str:
    """Twelve characters, the same for errors of one kind."""
    kind = "\0".join((error_class, pattern(error), pattern(reason)))
    return sha256(kind.encode("utf-8", "surrogatepass")).hexdigest()[:12]
