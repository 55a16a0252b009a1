"""The star map: the jobs of bg_starmap, and the cache before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from examples.keno.chunks import Chunk, chunk_key, chunk_of
from examples.keno.game import PUBLISH, STARMAP_CHANNEL, routed
from examples.keno.messages import MapChunk
from examples.keno.planets import maybe_place
from examples.keno.rules import chunk_corner
from penstock.workers import Job  # noqa: TC001  a route reads the annotation of its handler
from penstock.workers.cached import Cached, DatabaseShelf
from penstock.workers.fan import PUBSUB

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from examples.keno.game import Game
    from penstock.workers import Routes

__all__ = ["GET", "StarMap", "room_of", "tell_changed"]

QUEUE: Final = "bg_starmap"
GET: Final = "/starmap/getMapChunk"
CHANGED: Final = "/starmap/changed"
#: Seconds that a chunk stays in the cache: whatever changes it has it forgotten, so it may be long.
LASTS: Final = 600.0


class StarMap:
    """Does the jobs of bg_starmap. Chunks are kept in a cache that all processes share, until they change.

    `close` it at the end.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._shelf = DatabaseShelf(game.engine)
        self.chunks = Cached(
            "starmap", MapChunk, queue=QUEUE, route=GET, key=chunk_key, lasts=LASTS, shelf=self._shelf
        )

    def close(self) -> None:
        """Let go of the cache."""
        self._shelf.close()

    @property
    def routes(self) -> Routes:
        """Who does what."""
        return routed(QUEUE, {GET: self.chunks.fills(self.get_map_chunk), CHANGED: self.changed})

    def get_map_chunk(self, job: Job[MapChunk]) -> Chunk:
        """A chunk that is not in the cache, found in the database."""
        with self._game.read() as connection:
            return chunk_of(connection, job.content)

    async def changed(self, job: Job[MapChunk]) -> None:
        """Forget a chunk, then tell all who look at the map: whoever asks again gets what is there now."""
        await self.chunks.on(job.jobs.broker).forget(job.content)
        message = {"route": CHANGED, "room": room_of(job.content.sector), "content": job.content}
        content = {"channel": STARMAP_CHANNEL, "message": message}
        await job.jobs.put(PUBSUB, PUBLISH, content, job_id=job.id)


def tell_changed(game: Game, connection: Connection, *body_ids: int) -> None:
    """The chunks of these planets have changed, if the transaction is committed."""
    places = filter(None, (maybe_place(connection, each) for each in body_ids))
    chunks = {MapChunk(each.sector, chunk_corner(each.x), chunk_corner(each.y)) for each in places}
    for each in chunks:
        game.put(connection, QUEUE, CHANGED, each)


def room_of(sector: int) -> str:
    """Where those are who look at a sector."""
    return f"sector:{sector}"
