"""The waterworks' own application: a database with an outbox, three consumers, a home for dead letters."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Double, MetaData, String, Table, delete, insert
from sqlalchemy.ext.asyncio import create_async_engine

from penstock.cli.sample.events import DATABASE, GAUGES, JOBS, LEVELS, NAMESPACE, LevelMeasured
from penstock.cli.sample.readings import BROKEN
from penstock.client import Binding, Queue
from penstock.errors import PersistentError, TransientError
from penstock.messaging import Backoff
from penstock.messaging.application import Application
from penstock.messaging.dead_letters import DeadLetterKeeper, DeadLetterStore
from penstock.messaging.topology.model import Topology
from penstock.outbox import Housekeeping, Outbox, Relay

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from penstock.messaging import Context

__all__ = ["Waterworks", "database_file", "gauges_table"]

#: Seconds that readings, and what was relayed of them, are kept: a sample must not fill a disk.
KEPT_S: Final = 3600.0
DEAD_KEPT_S: Final = 7 * 86_400.0
#: Every so many seconds one gauge is sprayed: the first try to forecast from its reading fails.
SPRAY_EVERY_S: Final = 50
SPRAYED: Final = GAUGES[0]

#: The queue that Spark reads. Where there is no Spark the oldest go, since nobody takes them.
SPARKS: Final = Topology(
    queues=(Queue(LEVELS, arguments={"x-max-length": 20_000}),),
    bindings=(Binding(NAMESPACE, LEVELS, "LevelMeasured"),),
)


def database_file(folder: Path) -> Path:
    """Where the waterworks keeps everything."""
    return folder / DATABASE


def gauges_table(metadata: MetaData) -> Table:
    """What each gauge said last; Spark writes it."""
    return Table(
        "gauges",
        metadata,
        Column("gauge", String, primary_key=True),
        Column("level", Double, nullable=False),
        Column("at", Double, nullable=False),
    )


class Waterworks:
    """The application. `async with` one: it consumes, relays and keeps dead letters meanwhile."""

    def __init__(self, folder: Path, url: str) -> None:
        file = database_file(folder)
        self.metadata = MetaData()
        self._readings = Table(
            "readings",
            self.metadata,
            Column("gauge", String, nullable=False),
            Column("level", Double, nullable=False),
            Column("at", Double, nullable=False, index=True),
        )
        gauges_table(self.metadata)
        self._engine = create_async_engine(f"sqlite+aiosqlite:///{file}")
        self.app = declared(url)
        self.outbox = Outbox.of(self.app, metadata=self.metadata)
        self.dead_letters = DeadLetterStore(f"sqlite:///{file}")
        for queue in (NAMESPACE, JOBS):
            self.app.attach(DeadLetterKeeper(self.dead_letters, f"{queue}.dead-letters"))
        self.app.attach(Relay(self.outbox, self._engine))
        self.app.attach(Housekeeping(engine=self._engine, outbox=self.outbox, keep_relayed=KEPT_S))
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opened:
            opened.push_async_callback(self._engine.dispose)
            opened.callback(self.dead_letters.close)
            async with self._engine.begin() as connection:
                await connection.run_sync(self.metadata.create_all)
            await opened.enter_async_context(self.app)
            await self.app.broker.initialize(SPARKS)
            self._opened = opened.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def measure(self, measured: LevelMeasured) -> None:
        """Keep a reading, and tell of it: both, or neither."""
        row = {"gauge": measured.gauge, "level": measured.level, "at": measured.at}
        async with self._engine.begin() as connection:
            await connection.execute(insert(self._readings).values(row))
            await self.outbox.add(connection, measured)

    async def forget(self, now: float) -> None:
        """Let go of what is old."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(self._readings).where(self._readings.c.at < now - KEPT_S))
        await self.dead_letters.run(self.dead_letters.forget, now - DEAD_KEPT_S)


def declared(url: str | None) -> Application:
    """The consumers, as they are declared; nothing runs yet."""
    app = Application(NAMESPACE, mq_url=url)

    @app.consumer(LevelMeasured)
    async def dashboard(measured: LevelMeasured) -> None:
        """Would show it."""

    @app.consumer(LevelMeasured, retry=Backoff(attempts=5, initial=1.0, cap=5.0))
    async def forecast(measured: LevelMeasured, context: Context) -> None:
        """Fails on spray, and gets over it."""
        is_wet = measured.gauge == SPRAYED and int(measured.at) % SPRAY_EVERY_S == 0
        if is_wet and not context.attempts:
            raise TransientError(f"spray on gauge {measured.gauge}: read once more")

    @app.consumer(LevelMeasured)
    async def alarms(measured: LevelMeasured) -> None:
        """Cannot make anything of a gauge that is broken, however often it is asked."""
        if measured.gauge == BROKEN:
            raise PersistentError(f"gauge {measured.gauge} says {measured.level} m, which cannot be")

    return app
