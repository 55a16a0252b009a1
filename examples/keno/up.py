"""All of a game on this machine: where its processes listen, how they are started, kept alive and ended."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from examples.keno.game import Game
from examples.keno.processes import GATEWAY, LOBBY, WORKER, Order, program
from examples.keno.universe import make_universe
from penstock.cli.ports import HOST, hold_first_free, told_taken
from penstock.cli.supervising import CHILD, READY, Program, Supervisor

if TYPE_CHECKING:
    from contextlib import ExitStack

    from examples.keno.folder import Folder

__all__ = ["Up", "Wishes"]

#: How far behind the page's port the others are looked for; a broker's customary ones are left to others.
GATEWAYS: Final = 10
BROKER_PORTS: Final = {"amqp": 30, "beanstalk": 31}
STOPPING: Final = (signal.SIGINT, signal.SIGTERM)

BROKER: Final = "broker"
STATISTICS: Final = "statistics"
#: The pipelines of the statistics, what Spark runs them with, and where they find the game's tables.
PIPELINES: Final = "examples.keno.statistics"
MASTER: Final = "local[2]"
DATABASE: Final = "KENO_DATABASE_URL"
SPOOL: Final = "KENO_SPOOL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How the game is to be."""

    database: str
    #: A broker that runs; none, and one is started.
    mq_url: str
    port: int
    workers: int
    gateways: int
    pace: float
    statistics: bool


class Up:
    """A game, from its start to the signal that ends it. `lay_out` it, then `run` it."""

    def __init__(self, folder: Folder, wishes: Wishes) -> None:
        self._folder = folder
        self._wishes = wishes
        self._supervisor = Supervisor(_tell)
        #: Where our own broker listens, for each of its protocols.
        self._broker: dict[str, str] = {}
        self._gateways: list[Order] = []
        self._lobby = Order()

    def lay_out(self, opened: ExitStack) -> None:
        """Make the tables if they are not there, and choose who listens where.

        Args:
            opened: Whoever closes it lets go of the ports.

        Raises:
            PenstockError: the database cannot be used, or all ports are taken.
        """
        wishes = self._wishes
        game = Game(wishes.database)
        game.create()
        with game.begin() as connection:
            make_universe(connection)
        game.close()
        mq_url = wishes.mq_url or self._own_broker(opened)
        secret = self._folder.secret("sessions")
        common = Order(database=wishes.database, pace=wishes.pace, mq_url=mq_url, secret=secret)
        page = self._port("the page", wishes.port, opened)
        # A browser tells a page's host as it was typed.
        origins = tuple(f"http://{host}:{page}" for host in (HOST, "127.0.0.1"))
        after = wishes.port + GATEWAYS
        for number in range(1, wishes.gateways + 1):
            name, port = f"gateway-{number}", self._port(f"gateway {number}", after, opened)
            order = msgspec.structs.replace(common, name=name, address=f"{HOST}:{port}", origins=origins)
            self._gateways.append(order)
            after = port + 1
        urls = tuple(f"ws://{each.address}/ws" for each in self._gateways)
        self._lobby = msgspec.structs.replace(common, address=f"{HOST}:{page}", gateways=urls)

    def _own_broker(self, opened: ExitStack) -> str:
        """The URL of a broker that is to be started."""
        self._broker = {
            name: f"{HOST}:{self._port(name, self._wishes.port + behind, opened)}"
            for name, behind in BROKER_PORTS.items()
        }
        # Only this machine reaches it, as this user.
        return f"amqp://guest:guest@{self._broker['amqp']}/"

    def _port(self, what: str, port: int, opened: ExitStack) -> int:
        held = hold_first_free(port)
        opened.callback(held.close)
        if held.passed_over:
            _tell(f"{told_taken(held.passed_over)}: {what} is at {held.port}")
        return held.port

    # Running

    async def run(self) -> None:
        """Run all of it until a signal comes.

        Raises:
            BadSetting: a process cannot be run like that.
        """
        loop, running = asyncio.get_running_loop(), asyncio.create_task(self._start())
        for number in STOPPING:
            loop.add_signal_handler(number, running.cancel)
        try:
            await self._supervisor.watch(running)
        finally:
            running.cancel()
            for number in STOPPING:
                # The second time it ends at once, and everything with it.
                loop.remove_signal_handler(number)
            _tell("stopping")
            await self._supervisor.stop(one_by_one=1)

    async def _start(self) -> None:
        """Start all of it, and tell when it is there; then there is nothing to do but to be cancelled."""
        if self._broker:
            await self._supervisor.start(self._broker_program()).wait()
        lobby = self._lobby
        started = [
            *(self._run(WORKER, f"worker-{number}", lobby) for number in range(1, self._wishes.workers + 1)),
            *(self._run(GATEWAY, each.name, each) for each in self._gateways),
            self._run(LOBBY, LOBBY, lobby),
        ]
        spark = self._supervisor.start(self._statistics_program()) if self._wishes.statistics else None
        for each in started:
            await each.wait()
        _tell(f"{READY}: http://{lobby.address}/")
        for name, place in self._places().items():
            _tell(f"  {name:<10} {place}")
        if spark is not None:
            await spark.wait()
            _tell("the statistics are there")
        await asyncio.Event().wait()

    def _places(self) -> dict[str, str]:
        """What else somebody may want to reach."""
        gateways = {each.name: f"ws://{each.address}/ws" for each in self._gateways}
        return {**gateways, **self._broker, "data": str(self._folder.path)}

    def _run(self, kind: str, name: str, order: Order) -> asyncio.Event:
        return self._supervisor.start(program(kind, order, name=name, log=self._folder.log(name)))

    def _broker_program(self) -> Program:
        listening = [word for name, place in self._broker.items() for word in (f"--{name}", place)]
        return self._penstock(BROKER, ["broker", "--data", str(self._folder.broker), *listening])

    def _statistics_program(self) -> Program:
        data = str(self._folder.path / STATISTICS)
        told = {"MQ_URL": self._lobby.mq_url, DATABASE: self._lobby.database}
        if not self._broker:
            # It may be RabbitMQ, from which Spark reads by way of files.
            told[SPOOL] = str(self._folder.path / "spool")
        run = ["pipelines", "run", PIPELINES, "--data", data, "--master", MASTER, "--brief"]
        return self._penstock(STATISTICS, run, **told)

    def _penstock(self, name: str, arguments: list[str], **environment: str) -> Program:
        """A command of Penstock's own."""
        return Program(
            name=name,
            arguments=[sys.executable, "-m", "penstock", *arguments],
            log=self._folder.log(name),
            environment={CHILD: "1", **environment},
        )


def _tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201  somebody watches
