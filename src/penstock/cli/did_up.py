"""`penstock did up`: domains on this machine, all of their processes started and kept alive.

broker       one for all domains, unless --mq-url names another
domain       one process each: HTTP, and the handlers of its queues
pipelines    one for all domains: Spark, with the batch writer and the observer of each
"""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli.did_options import DATA
from penstock.cli.did_parameters import given_parameters, with_parameters
from penstock.cli.did_process import BROKER, BROKER_USER, DOMAIN, PIPELINES, Order, program
from penstock.cli.errors import explained
from penstock.cli.supervising import Supervisor, until_a_signal
from penstock.clock import SystemClock
from penstock.errors import SparkUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.did.domain.folder import DataFolder
    from penstock.did.domain.founding import Founded
    from penstock.did.parameters import DidParameters

__all__ = ["up"]

BROKER_PORT: Final = 5672
#: All cores; and a task whose Python dies is tried again, where Spark alone would give the whole batch up.
MASTER: Final = "local[*,4]"

DomainsOption = Annotated[
    int, typer.Option("--domains", metavar="N", min=1, max=20, help="How many; each knows all the others.")
]
DataOption = Annotated[
    Path, typer.Option("--data", metavar="FOLDER", help="Where everything is kept that nobody says where.")
]
WebOption = Annotated[
    int,
    typer.Option(
        "--web-processes", metavar="N", min=1, max=64, help="Processes that answer for each domain."
    ),
]
MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="Where Spark works: local[*], spark://host:7077, …")
]
PipelinesOption = Annotated[
    bool, typer.Option("--pipelines/--no-pipelines", help="Whether Spark is started, too.")
]


@with_parameters
def up(
    *,
    domains: DomainsOption = 1,
    data: DataOption = DATA,
    web_processes: WebOption = 1,
    master: MasterOption = MASTER,
    pipelines: PipelinesOption = True,
    given: dict[str, Any],
) -> None:
    """Run a DID domain, or several that know each other, until asked to stop (Ctrl-C, or the signal TERM).

    Everything it needs is started with it, and started again if it dies: a broker, HTTP and handlers, Spark.
    A second start with the same --data finds everything again.

    Every parameter can also stand in a TOML file, named by --config, or in the environment, where
    --batch-writer-timeout is BATCH_WRITER_TIMEOUT.
    """
    with explained():
        from penstock.did.domain.folder import DataFolder  # noqa: PLC0415 (the other commands start sooner)
        from penstock.did.parameter_sources import load_parameters  # noqa: PLC0415

        flags, config = given_parameters(given)
        parameters = load_parameters(flags=flags, environ=os.environ, config=config)
        if pipelines and find_spec("pyspark") is None:
            raise SparkUnavailable("Spark is not installed: pip install 'penstock[spark]', or --no-pipelines")
        folder = DataFolder(data)
        with folder.held(), ExitStack() as opened:
            domain = Up(folder, master=master if pipelines else "", web_processes=web_processes)
            asyncio.run(domain.run(domain.founded(domains, parameters, opened)))


class Up:
    """Domains that are started together."""

    def __init__(self, folder: DataFolder, *, master: str, web_processes: int = 1) -> None:
        self._folder = folder
        self._master = master
        self._web_processes = web_processes
        self._clock = SystemClock()
        self._supervisor = Supervisor(_tell, clock=self._clock)
        #: Where our own broker listens, and keeps its queues; empty if there is another.
        self._address = self._kept_in = ""

    def founded(self, count: int, parameters: DidParameters, opened: ExitStack) -> list[Founded]:
        """The domains, each with its address, told if it is not the usual one.

        Raises:
            PenstockError: they cannot be.
        """
        from penstock.did.domain.founding import found  # noqa: PLC0415 (as above)

        self._kept_in = str(parameters.mq_data or self._folder.broker)
        broker = parameters.mq_url or self._own_broker(opened)
        domains = found(count, parameters, self._folder, broker=broker)
        for each in domains:
            opened.callback(each.bound.close)
            if each.passed_over:
                _tell(f"{_ports(each.passed_over)} taken: {each.places.word} is {each.places.base}")
        return domains

    def _own_broker(self, opened: ExitStack) -> str:
        """The URL of a broker that is to be started."""
        from penstock.did.domain.founding import HOST, first_free, hold_port  # noqa: PLC0415 (as above)

        # Held for good: were it another's while the broker is started again, the domains would go there.
        held, taken = first_free(BROKER_PORT, hold_port)
        opened.callback(held.close)
        port = held.getsockname()[1]
        self._address = f"{HOST}:{port}"
        if taken:
            _tell(f"{_ports(taken)} taken: the broker listens on {port}")
        return f"amqp://{BROKER_USER}:{self._folder.broker_secret()}@{self._address}/"

    async def run(self, domains: Sequence[Founded]) -> None:
        """Run all of it until a signal comes.

        Raises:
            BadSetting: a process cannot be run like that.
        """
        await until_a_signal(self._start(domains), self._supervisor.watch, self._stop)

    async def _stop(self) -> None:
        _tell("stopping")
        await self._supervisor.stop()

    async def _start(self, domains: Sequence[Founded]) -> None:
        """Start all of it, and tell how far that is; then there is nothing left to do but to be cancelled."""
        begun = self._clock.now()
        if self._address:
            secret = self._folder.broker_secret()
            order = Order(data=self._kept_in, address=self._address, password=secret)
            await self._run(BROKER, BROKER, order).wait()
        ready = [event for each in domains for event in self._run_domain(each)]
        spark = self._run_pipelines(domains) if self._master else None
        for event in ready:
            await event.wait()
        _tell(" ".join(["penstock is ready:", *(each.places.base for each in domains)]))
        if spark is not None:
            from penstock.pipelines.telling import told  # noqa: PLC0415 (as above)

            with told("Spark is starting: until it is there, operations wait in their queue", shown=True):
                await spark.wait()
            _tell(f"Spark is ready after {self._clock.now() - begun:.0f} s")
        await asyncio.Event().wait()

    def _run_domain(self, domain: Founded) -> list[asyncio.Event]:
        from penstock.did.domain.roles import WEB, WORKER  # noqa: PLC0415 (as above)

        places = domain.places
        order = Order(domains=(places.to_json(),), roles=(WEB, WORKER), bound=domain.bound.fileno())
        more = Order(domains=order.domains, roles=(WEB,), bound=order.bound)
        names = (f"{places.word}-web{number}" for number in range(2, self._web_processes + 1))
        return [self._run(DOMAIN, places.word, order), *(self._run(DOMAIN, name, more) for name in names)]

    def _run_pipelines(self, domains: Sequence[Founded]) -> asyncio.Event:
        told = tuple(each.places.to_json() for each in domains)
        order = Order(
            domains=told,
            data=str(self._folder.pipelines),
            master=self._master,
            is_foreign=not self._address,
        )
        return self._run(PIPELINES, PIPELINES, order)

    def _run(self, kind: str, name: str, order: Order) -> asyncio.Event:
        return self._supervisor.start(program(kind, order, name=name, log=self._folder.log(name)))


def _ports(taken: Sequence[int]) -> str:
    if len(taken) == 1:
        return f"port {taken[0]} is"
    return f"ports {taken[0]} to {taken[-1]} are"


def _tell(line: str) -> None:
    print(line, flush=True)
