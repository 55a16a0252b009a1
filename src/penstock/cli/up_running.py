"""What `penstock up` does: start the broker, tell that it is there, then the rest behind it; end all of it.

The broker and its panel come first and are told of at once. What comes later is told of when it is there, and
what cannot be here is told of and left out.
"""

from __future__ import annotations

import asyncio
import webbrowser
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from penstock.cli.parts import DID, GATEWAY, PANEL, SPARK, missing
from penstock.cli.ports import told_taken
from penstock.cli.supervising import READY, Supervisor, until_a_signal
from penstock.cli.up_programs import (
    SAMPLE,
    broker_program,
    gateway_program,
    sample_program,
    spark_program,
    worker_program,
)
from penstock.cli.worker_order import URL
from penstock.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack

    from penstock.cli.supervising import Program
    from penstock.cli.up_folder import UpFolder
    from penstock.cli.up_programs import Places
    from penstock.did.domain.founding import Founded

__all__ = ["Up", "Wishes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What is to run."""

    sample: bool
    did: bool
    #: Where Spark works; empty is nowhere.
    master: str
    open_panel: bool = False


class Up:
    """Everything, from its start to the signal that ends it."""

    def __init__(self, folder: UpFolder, places: Places, wishes: Wishes, opened: ExitStack) -> None:
        """Nothing is started yet.

        Args:
            opened: What is opened here is closed with it.
        """
        self._folder = folder
        self._places = places
        self._wishes = wishes
        self._opened = opened
        self._clock = SystemClock()
        self._supervisor = Supervisor(_tell, clock=self._clock)

    async def run(self) -> None:
        """Run all of it until a signal comes.

        Raises:
            BadSetting: a program cannot be run like that.
        """
        await until_a_signal(self._start(), self._supervisor.watch, self._stop)

    async def _stop(self) -> None:
        _tell("stopping: what has begun is finished first; a second Ctrl-C ends it at once")
        # All others talk to the broker, which is the first that was started.
        await self._supervisor.stop(one_by_one=1)
        _tell("stopped")

    async def _start(self) -> None:
        """Start all of it, and tell how far that is; then there is nothing left to do but to be cancelled."""
        begun = self._clock.now()
        for folder in (self._folder.sample, self._folder.pipelines):
            # The panel looks there before there is anything.
            folder.mkdir(mode=0o700, exist_ok=True)
        broker = broker_program(
            self._folder, self._places, with_sample=self._wishes.sample, with_did=self._wishes.did
        )
        await self._supervisor.start(broker).wait()
        self._tell_places()
        # Founding a domain makes keys and reads half a library: others need not wait for it.
        domains = await asyncio.to_thread(self._domains)
        ready = {program.name: self._supervisor.start(program) for program in self._others(domains)}
        # At once: who is slow, or never gets ready, hides nobody else.
        async with asyncio.TaskGroup() as waiting:
            for name, event in ready.items():
                tell_ready = self._await_spark if name == SPARK else self._await
                waiting.create_task(tell_ready(name, event, begun))
        _tell("everything is up; Ctrl-C stops it")
        await asyncio.Event().wait()

    def _tell_places(self) -> None:
        shown = self._places.shown()
        why = missing(PANEL)
        if why is not None:
            _tell(f"no panel: {why}")
            del shown["panel"]
        self._folder.tell(shown)
        first = f"{shown['panel']} (user guest, password guest)" if why is None else shown["amqp"]
        _tell(f"{READY}: {first}")
        for name, url in shown.items():
            if name != PANEL:
                _tell(f"  {name:<10} {url}")
        _tell(f"  {'data':<10} {self._folder.path}")
        if self._wishes.open_panel and why is None:
            webbrowser.open(shown["panel"])

    # What runs beside the broker

    def _others(self, domains: Sequence[Founded]) -> list[Program]:
        """All other programs. Without the sample load they are the same, and the waterworks rests."""
        folder, places, wishes = self._folder, self._places, self._wishes
        programs: list[Program] = []
        if self._can(GATEWAY):
            programs.append(gateway_program(folder, places, with_sample=wishes.sample))
        programs += self._domain_programs(domains)
        did = domains[0].places.base if domains else None
        programs.append(sample_program(folder, places, did, is_at_rest=not wishes.sample))
        programs.append(worker_program(folder, places))
        if wishes.master and self._can(SPARK):
            programs.append(self._spark(domains))
        return programs

    def _can(self, part: str) -> bool:
        why = missing(part)
        if why is not None:
            _tell(f"no {part}: {why}")
        return why is None

    def _domains(self) -> list[Founded]:
        if not self._wishes.did or not self._can(DID):
            return []
        from penstock.cli.did_starting import IMPATIENT  # noqa: PLC0415 (as above)
        from penstock.did.domain.folder import DataFolder  # noqa: PLC0415
        from penstock.did.domain.founding import found  # noqa: PLC0415
        from penstock.did.parameter_sources import load_parameters  # noqa: PLC0415

        folder = DataFolder(self._folder.did)
        self._opened.enter_context(folder.held())
        flags = dict(flag.split("=", 1) for flag in IMPATIENT)
        domains = found(1, load_parameters(flags=flags), folder, broker=self._places.broker_url)
        for each in domains:
            self._opened.callback(each.bound.close)
            if each.passed_over:
                _tell(f"{told_taken(each.passed_over)}: the DID domain is {each.places.base}")
        return domains

    def _domain_programs(self, domains: Sequence[Founded]) -> list[Program]:
        if not domains:
            return []
        from penstock.cli.did_process import DOMAIN, Order, program  # noqa: PLC0415 (as above)
        from penstock.did.domain.roles import WEB, WORKER  # noqa: PLC0415

        made = []
        for each in domains:
            order = Order(domains=(each.places.to_json(),), roles=(WEB, WORKER), bound=each.bound.fileno())
            made.append(program(DOMAIN, order, name=DID, log=self._folder.log(DID)))
        return made

    def _spark(self, domains: Sequence[Founded]) -> Program:
        """One Spark for all: the domain's pipelines, and the waterworks'."""
        if not domains:
            return spark_program(self._folder, self._places, self._wishes.master)
        from penstock.cli.did_process import PIPELINES, Order, program  # noqa: PLC0415 (as above)

        order = Order(
            domains=tuple(each.places.to_json() for each in domains),
            data=str(self._folder.pipelines),
            master=self._wishes.master,
            with_sample=True,
        )
        made = program(PIPELINES, order, name=SPARK, log=self._folder.log(SPARK))
        environment = {URL: self._places.broker_url, SAMPLE: self._folder.database}
        return replace(made, environment={**made.environment, **environment})

    async def _await(self, name: str, ready: asyncio.Event, begun: float) -> None:
        await ready.wait()
        _tell(f"{name} is ready after {self._clock.now() - begun:.0f} s")

    async def _await_spark(self, _name: str, ready: asyncio.Event, begun: float) -> None:
        from penstock.pipelines.telling import told  # noqa: PLC0415 (as above)

        with told("Spark is starting; the panel works already", shown=True):
            await ready.wait()
        _tell(f"Spark is ready after {self._clock.now() - begun:.0f} s")


def _tell(line: str) -> None:
    print(line, flush=True)
