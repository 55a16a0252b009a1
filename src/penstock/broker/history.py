"""History: the tracks of all that has told something else lately. Pure.

What has not changed has no track: its past is its present. So a hundred thousand queues in which nothing
happens cost nothing here; of those in which something does, so many have a track as there is room for, and
whoever is asked for is let in before others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.broker.track import HOUR, Track

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

__all__ = ["History"]

#: Tracks, of up to 20 KB each; and as many more of things that somebody asks for.
MOST: Final = 1_000
#: Seconds after which who has asked does not count any more.
WATCHED_IN: Final = 600.0


class History:
    """Tracks by what they are of."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._tracks: dict[object, Track] = {}
        #: What somebody has asked for, and when.
        self._watched: dict[object, float] = {}
        #: What has changed and found no room: nobody knows its past.
        self._left_out: set[object] = set()

    def __repr__(self) -> str:
        return f"<History of {len(self._tracks)} things, {len(self._left_out)} left out>"

    def note(
        self,
        thing: object,
        before: tuple[float, Sequence[int]],
        after: tuple[float, Sequence[int]],
        keeps: float = HOUR,
    ) -> None:
        """Something has changed between two looks."""
        track = self._tracks.get(thing)
        if track is None:
            # A virtual host, of which there are few, is asked for more than all others, and kept longer.
            if keeps <= HOUR and not self._has_room(thing):
                self._left_out.add(thing)
                return
            self._left_out.discard(thing)
            track = self._tracks[thing] = Track(*before, keeps)
        elif track.ends_at < before[0]:
            # It stood still until the look before.
            track.add(*before)
        track.add(*after)

    def _has_room(self, thing: object) -> bool:
        return len(self._tracks) < (2 * self._most if thing in self._watched else self._most)

    def clear_away(self, there: Container[object], now: float) -> None:
        """Forget what is not there any more, what has stood still for as long as is kept, and who asked."""
        self._tracks = {
            thing: track for thing, track in self._tracks.items() if thing in there and not track.is_over(now)
        }
        self._left_out = {thing for thing in self._left_out if thing in there}
        self._watched = {thing: at for thing, at in self._watched.items() if now - at <= WATCHED_IN}

    def told(
        self, thing: object, moments: Sequence[float], *newer: tuple[float, Sequence[int]]
    ) -> list[list[int]] | None:
        """What it told at some moments; None if that is not known.

        Args:
            newer: what is known of it beyond its track, in order, the present at least.
        """
        if len(self._watched) < self._most:
            self._watched[thing] = newer[-1][0]
        track = self._tracks.get(thing)
        if track is not None:
            return list(track.points(moments, *(point for point in newer if point[0] > track.ends_at)))
        if thing in self._left_out:
            return None
        return list(Track(*newer[0]).points(moments, *newer[1:]))
