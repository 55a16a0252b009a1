"""How far a replay has come: a small file beside the log, on disk before the next messages leave.

Events are replayed in one order, by their time, id and content. What is kept is the last one that the
broker has confirmed, and how many just like it were before: a message without an id may have a twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from penstock.durable import replacing
from penstock.errors import PipelineError

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.pipelines.replay.selection import Selection

__all__ = ["Mark", "Progress", "ProgressFile"]


class Mark(NamedTuple):
    """An event's place in the order."""

    #: Microseconds since the epoch.
    at: int
    message_id: str
    #: A hash of what it says.
    content: int


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far it has come."""

    #: The selection in words, for people who look into the file.
    replay: str
    published: int = 0
    skipped: int = 0
    #: The last event that is done, and how many like it are.
    last: Mark | None = None
    twins: int = 0

    @property
    def done(self) -> int:
        """How many are published or passed over."""
        return self.published + self.skipped

    def after(self, marks: list[Mark], *, skipped: int = 0) -> Progress:
        """With these done, too."""
        if not marks:
            return self
        last = marks[-1]
        alike = next((number for number, mark in enumerate(reversed(marks)) if mark != last), len(marks))
        before = self.twins if alike == len(marks) and self.last == last else 0
        return Progress(
            replay=self.replay,
            published=self.published + len(marks) - skipped,
            skipped=self.skipped + skipped,
            last=last,
            twins=before + alike,
        )


class ProgressFile:
    """Keeps the progress of one replay."""

    def __init__(self, folder: Path, selection: Selection) -> None:
        self._path = folder / f"{selection.name}.json"
        self._selection = selection

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> Progress:
        """How far it has come; not at all, if it was never begun.

        Raises:
            PipelineError: what is there cannot be read.
        """
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Progress)
        except FileNotFoundError:
            return Progress(replay=str(self._selection))
        except (msgspec.MsgspecError, OSError) as exc:
            raise PipelineError(
                f"how far the replay has come cannot be read from {self._path}: {exc};"
                " remove it to begin anew"
            ) from exc

    def write(self, progress: Progress) -> None:
        """Keep it; on disk when this returns."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self._path) as file:
            file.write(msgspec.json.encode(progress))

    def forget(self) -> None:
        """Begin anew next time."""
        self._path.unlink(missing_ok=True)
