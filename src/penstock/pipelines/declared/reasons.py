"""What went wrong in Spark, in one line. Pure.

Pages of plans and of Java's frames hide the sentence that matters.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["reason_of"]

#: A Python worker's own error: the last line of its traceback.
_TRACEBACK: Final = re.compile(r"Traceback \(most recent call last\):\n(?:(?:[ \t].*)?\n)*(?P<told>\S[^\n]*)")
#: What Spark puts before and after its sentences.
_WRAPPING: Final = (
    re.compile(r"^An error occurred while calling \S+\.\s*:\s*[\w.$]+: "),
    re.compile(r"^pyspark\.errors\.exceptions\.\w+\.\w+: "),
    re.compile(r"^penstock\.errors\.\w+\.(?=\w+: )"),
    re.compile(r"^\[STREAM_FAILED\] Query \[[^\]]*\] terminated with exception: "),
    re.compile(r"\n=== Streaming Query ===.*", re.DOTALL),
    re.compile(r"\n[ \t]*(?:at |JVM stacktrace:|== |Driver stacktrace:|Caused by: ).*", re.DOTALL),
    re.compile(r" ?SQLSTATE: \w+"),
)
#: Longer than a sentence ever is; a message may quote the row.
LONGEST: Final = 1000


def reason_of(error: BaseException) -> str:
    """The sentence that says what happened; for an error of a Python worker, its own."""
    text = _told(error)
    if tracebacks := list(_TRACEBACK.finditer(text)):
        # Spark's own errors come this way, too, if a function of ours has called it.
        text = tracebacks[-1]["told"]
    for wrapping in _WRAPPING:
        text = wrapping.sub("", text)
    return _short(" ".join(text.split()) or type(error).__name__)


def _told(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 (an error of Java's asks Java what it says, and that may be gone)
        return ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
