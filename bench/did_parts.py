"""What the benches of a DID domain's HTTP share: a domain in processes of its own, and how busy those are."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvloop

from penstock.did.database import DomainDatabase
from penstock.did.domain import WEB, WRITER, Domain, Places
from penstock.did.domain.keys import make_key
from penstock.did.domain.parts import create_tables
from penstock.did.web import WebServer, listen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import penstock

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Sequence
    from multiprocessing.synchronize import Event

ORIGIN: Final = "https://orb.example.com/services/orb"
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A domain that answers."""

    port: int
    database: DomainDatabase
    #: The processes, by what they do.
    pids: dict[str, list[int]]

    def cpu_s(self) -> dict[str, float]:
        """Seconds that each of them has worked."""
        return {name: sum(map(cpu_s, pids)) for name, pids in self.pids.items()}


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextlib.contextmanager
def served(folder: Path, database_url: str, *, processes: int = 1) -> Iterator[Served]:
    """A broker, the domain's HTTP, and whoever takes what was accepted, each in processes of their own."""
    broker = penstock.start(folder)
    bound = listen("127.0.0.1", 0)
    port = bound.getsockname()[1]
    make_key(folder / "key.pem")
    places = Places(
        base=f"http://127.0.0.1:{port}",
        database=database_url,
        storage=str(folder / "cas"),
        broker=broker.url,
        key=str(folder / "key.pem"),
    ).to_json()
    database = DomainDatabase(database_url)
    create_tables(database)
    with contextlib.ExitStack() as opened:
        opened.callback(database.close)
        opened.callback(broker.end)
        web = begun(opened, [(serve, places, bound, [WEB])] * processes)
        taker = begun(opened, [(take, places)])
        pids = {"web": web, "taker": taker, "broker": [each.pid for each in broker.processes]}
        yield Served(port=port, database=database, pids=pids | {"client": [os.getpid()]})


def begun(opened: contextlib.ExitStack, programs: Sequence[tuple[Any, ...]]) -> list[int]:
    """Start them, and return when they are ready; they end with the stack."""
    context = multiprocessing.get_context("spawn")
    pids = []
    for function, *arguments in programs:
        ready = context.Event()
        process = context.Process(target=function, args=(*arguments, ready), daemon=True)
        process.start()
        opened.callback(process.kill)
        assert ready.wait(60)
        assert process.pid is not None
        pids.append(process.pid)
    return pids


def serve(places: str, bound: socket.socket, roles: Sequence[str], ready: Event) -> None:
    async def story() -> None:
        async with Domain(Places.from_json(places), roles=roles) as domain:
            await WebServer(domain.site, bound).start()
            ready.set()
            await asyncio.Event().wait()

    uvloop.run(story())


def take(places: str, ready: Event) -> None:
    async def story() -> None:
        async with Domain(Places.from_json(places), roles=[WRITER]):
            ready.set()
            await asyncio.Event().wait()

    uvloop.run(story())
