"""The cache-miss pattern: a hit answers at once, a miss is computed by a worker, once however many ask.

    chunks = Cached("starmap", Chunk, queue="bg_starmap", route="/starmap/getMapChunk", key=key_of)

    @routes.route("/starmap/getMapChunk")
    @chunks.fills
    async def get_map_chunk(job: Job[Chunk]) -> Stars: ...

    async with chunks.on(broker) as cache:
        stars = await cache.get(Chunk(sector=0, left=-50, bottom=250))

Values are kept on a **shelf**: in the memory of each process, or in a database that all of them share. A
database rather than a queue, since one place has to decide whether somebody is at it already, and a row can
be compared and set where a message can only be taken. What a worker has made is pushed to all who wait, on a
channel of publish/subscribe.
"""

from penstock.workers.cached.cache import Cache
from penstock.workers.cached.cached import Cached
from penstock.workers.cached.database import DatabaseShelf
from penstock.workers.cached.memory import MemoryShelf
from penstock.workers.cached.shelf import Shelf

__all__ = ["Cache", "Cached", "DatabaseShelf", "MemoryShelf", "Shelf"]
