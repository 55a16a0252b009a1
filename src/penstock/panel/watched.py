"""What one page watches over the live socket: which paths, when each is due, what it was told. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

__all__ = ["Answer", "Watched"]

#: A page watches so many paths, of so many characters.
PATHS: Final = 40
PATH_MOST: Final = 4_000
#: Seconds between two looks, at least and at most.
SOONEST: Final = 1.0
LATEST: Final = 60.0


class Answer(msgspec.Struct, frozen=True):
    """What a path was answered with; JSON within JSON goes through as it came."""

    status: int
    body: msgspec.Raw


@dataclass(slots=True)
class _Path:
    every: float
    due_at: float
    told: Answer | None = None


class Watched:
    """The paths of one page: when each is due, and what it was told of them. Pure."""

    def __init__(self) -> None:
        self._paths: dict[str, _Path] = {}

    def __repr__(self) -> str:
        return f"<Watched {len(self._paths)} paths>"

    def change(self, paths: dict[str, float], now: float) -> None:
        """These from now on; what was watched before goes on as it was, what is new is due at once.

        Raises:
            ValueError: too many, or no paths of the API.
        """
        if len(paths) > PATHS or any(not _is_ours(path) for path in paths):
            raise ValueError(f"a page watches at most {PATHS} paths, each of them below /api/")
        kept = self._paths
        self._paths = {}
        for path, every in paths.items():
            known = kept.get(path) or _Path(every, now)
            known.every = min(max(every, SOONEST), LATEST)
            self._paths[path] = known

    def again(self, now: float) -> None:
        """Ask all of them now, and tell what is answered, whatever was told before."""
        for each in self._paths.values():
            each.due_at, each.told = now, None

    def due(self, now: float) -> list[str]:
        """The paths to ask now; each is due again after its time, counted from now, never caught up with."""
        found = [path for path, each in self._paths.items() if each.due_at <= now]
        for path in found:
            self._paths[path].due_at = now + self._paths[path].every
        return found

    def is_news(self, path: str, answer: Answer) -> bool:
        """Whether the page has not been told that already."""
        known = self._paths.get(path)
        if known is None or known.told == answer:
            return False
        known.told = answer
        return True

    def next_at(self) -> float | None:
        """When the next is due; None if nothing is watched."""
        return min((each.due_at for each in self._paths.values()), default=None)


def _is_ours(path: str) -> bool:
    return path.startswith("/api/") and len(path) <= PATH_MOST and path.isascii() and path.isprintable()
