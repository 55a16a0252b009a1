"""The form of what a worker tells of a job: JSON, in a message whose correlation id is the job's id."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

__all__ = ["DONE", "FAILED", "PROGRESS", "Reply"]

PROGRESS: Final = "progress"
DONE: Final = "done"
FAILED: Final = "failed"


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of news."""

    job: str
    state: Literal["progress", "done", "failed"]
    #: How far it is, or what came of it.
    value: msgspec.Raw = msgspec.Raw(b"null")
    #: Why it failed.
    error: str = ""
    #: Of what a handler has refused: as HTTP's. 0 if it failed otherwise, or not at all.
    status: int = 0
