"""What Spark says when something is wrong, in one line."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["first_line"]

_CLASS: Final = re.compile(r"^\[[A-Z_.0-9]+\] ")


def first_line(exc: BaseException) -> str:
    """The sentence, without the plan, the position and the link that follow it."""
    told = str(exc).strip().partition("\n")[0].partition(" SQLSTATE:")[0]
    return _CLASS.sub("", told)
