"""The story of the three services, with an outage in the middle: `python -m examples.commons`.

The broker is a Penstock server in a process of its own, which is killed without warning while messages are
under way; the databases are SQLite files. Everything is in a folder that goes when the story is over.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.table import Table

from examples.commons.chain_events import ChainEvents
from examples.commons.entities import Entities
from examples.commons.notifications import Notifications
from penstock.messaging.dead_letters import DeadLetterKeeper, DeadLetters, DeadLetterStore, Edit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CHAINS = ("edgeware", "osmosis", "juno")
COUNT = 120

console = Console()


class Server:
    """A Penstock server on a free port, then always on the same one."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._address = "127.0.0.1:0"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> str:
        """Start it; the URL."""
        arguments = ("-m", "penstock", "broker", "--data", str(self._data), "--amqp", self._address)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        output = cast("asyncio.StreamReader", self._process.stdout)
        url = (await output.readline()).decode().split()[-1]
        self._address = url.removeprefix("amqp://")
        return url

    async def end(self, how: Callable[[asyncio.subprocess.Process], None]) -> None:
        """End it, with terminate or with kill."""
        if self._process is not None:
            how(self._process)
            await self._process.wait()
            self._process = None


async def until(what: str, is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until it is so, and say so."""
    with console.status(f"waiting until {what} …"):
        while not await is_so():  # noqa: ASYNC110  a person watches, twenty looks a second will do
            await asyncio.sleep(0.05)
    console.print(f"[green]✓[/] {what}")


async def tell() -> None:
    """The whole story."""
    # What the clients say about the outage would hide the story.
    logging.getLogger("penstock").setLevel(logging.CRITICAL)
    with TemporaryDirectory(prefix="commons-") as folder:
        async with AsyncExitStack() as stack:
            await _tell(Path(folder), stack)


async def _tell(folder: Path, stack: AsyncExitStack) -> None:
    def database(name: str) -> str:
        return f"sqlite+aiosqlite:///{folder / name}.db"

    server = Server(folder / "broker")
    url = await server.start()
    stack.push_async_callback(server.end, asyncio.subprocess.Process.terminate)
    console.print(f"A broker at {url}, three services, a database each.\n")

    told: list[str] = []
    store = DeadLetterStore(f"sqlite:///{folder / 'dead-letters.db'}")
    chain_events = ChainEvents(database("chain-events"), mq_url=url)
    entities = Entities(database("entities"), mq_url=url)
    notifications = Notifications(database("notifications"), mq_url=url, send=told.append)
    entities.app.attach(DeadLetterKeeper(store, "commons.dead-letters"))
    for service in (notifications, entities, chain_events):
        await stack.enter_async_context(service)

    console.print(f"{COUNT} entities appear on {len(CHAINS)} chains …")
    for number in range(COUNT):
        await chain_events.saw_created(f"e{number}", CHAINS[number % len(CHAINS)], f"Proposal {number}")
        if number == COUNT // 3:
            console.print("[red]… and the broker is killed, kill -9, with messages under way")
            await server.end(asyncio.subprocess.Process.kill)
        if number == 2 * COUNT // 3:
            console.print("… and comes back")
            await server.start()

    async def all_applied() -> bool:
        return await entities.applied() == COUNT

    await until(f"the entities service has applied each of the {COUNT} messages once", all_applied)

    console.print("\nA message that no retry can help: an entity without a title.")
    await chain_events.saw_created("untitled", "juno", "")
    letters = DeadLetters(store, entities.app.broker)

    async def has_died() -> bool:
        return bool(await letters.find())

    await until("it is among the dead letters", has_died)
    [letter] = await letters.find()
    table = Table("consumer", "message", "error", "attempts")
    table.add_row(letter.consumer, letter.type, letter.error, str(letter.attempts))
    console.print(table)
    corrected = letter.body.replace(b'"title":""', b'"title":"Now it has one"')
    await letters.retry(letter.message_id, Edit(body=corrected))

    async def has_arrived() -> bool:
        return (await entities.state()).get("untitled") == "Now it has one"

    await until("edited and retried, it has arrived", has_arrived)

    async def are_told() -> bool:
        return any("untitled" in line for line in told)

    await until("somebody was told", are_told)
    console.print(f"\n{len(told)} notifications; the last: {told[-1]}")


if __name__ == "__main__":
    asyncio.run(tell())
