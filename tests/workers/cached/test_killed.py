"""A worker is killed while it computes what many wait for: another does it, and all of them get it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

from penstock.workers.cached import Cached, DatabaseShelf
from tests.cli.worker_programs import Program
from tests.client.support import until
from tests.workers.gateway.support import SOON, opened_broker

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.running import Running

#: A worker that never ends what it begins first.
GAME = """
import asyncio
import os
from pathlib import Path
from penstock.workers import Job, Routes
from penstock.workers.cached import Cached, DatabaseShelf

HERE = Path(__file__).parent
routes = Routes()
shelf = DatabaseShelf(f"sqlite:///{HERE / 'cache.db'}")
numbers = Cached("NAME", int, queue="NAME", route="/double", key=str, shelf=shelf)

@routes.route("/double")
@numbers.fills
async def double(job: Job[int]) -> int:
    is_first = not (HERE / "begun").exists()
    with (HERE / "begun").open("a") as file:
        file.write(f"{os.getpid()}\\n")
    if is_first:
        await asyncio.Event().wait()
    return 2 * job.content
"""


def test_who_waits_for_a_worker_that_is_killed_gets_it_from_another(
    tmp_path: Path, penstock_server: Running, name: str
) -> None:
    name = name[-8:]
    (tmp_path / "game.py").write_text(GAME.replace("NAME", name))
    shelf = DatabaseShelf(f"sqlite:///{tmp_path / 'cache.db'}")
    numbers = Cached(name, int, queue=name, route="/double", key=str, shelf=shelf)

    async def story(first: Program) -> None:
        async with opened_broker(penstock_server.url) as broker, numbers.on(broker) as cache:
            askers = [asyncio.create_task(cache.get(21, timeout=SOON)) for _ in range(20)]
            await until(lambda: first.lines("begun"))
            with Program(tmp_path, penstock_server.url, name) as second:
                os.kill(first.process.pid, signal.SIGKILL)
                assert set(await asyncio.gather(*askers)) == {42}
                assert await cache.get(21) == 42
                assert second.lines("begun") == [str(first.process.pid), str(second.process.pid)]

    with Program(tmp_path, penstock_server.url, name) as first:
        asyncio.run(story(first))
    shelf.close()
