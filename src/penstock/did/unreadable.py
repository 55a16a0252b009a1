"""What reading JSON of others fails with; each reader makes an error of its own of it."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["UNREADABLE"]

#: The last is for lists in lists without end: they are JSON, and the stack ends before them. Without it a
#: message that nobody can ever read would look like a failure that passes.
UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
