"""The commands on an event log: shown, asked, replayed to a real broker, reported; one log for all."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.client import Binding, Exchange, Queue, connect
from penstock.pipelines import session
from penstock.pipelines.event_log import EventLog
from tests.pipelines.event_log.rows import LIVES, MESSAGES, frame, message, step, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession
    from typer.testing import Result

    from tests.servers.running import Running


class Desk:
    """A log, a broker, and the commands on them."""

    def __init__(self, log: str, broker: str, name: str) -> None:
        self.log, self.broker, self.name = log, broker, name

    def run(self, *arguments: str, code: int = 0) -> str:
        return self._ran(*arguments, code=code).output

    def ask(self, *arguments: str) -> Any:
        """What a program is told, and nothing else."""
        return json.loads(self._ran(*arguments, "--json", code=0).stdout)

    def _ran(self, *arguments: str, code: int) -> Result:
        environment = {"PENSTOCK_EVENT_LOG": self.log, "MQ_URL": self.broker, "COLUMNS": "200"}
        result = CliRunner().invoke(app, list(arguments), env=environment)
        assert result.exit_code == code, result.output
        return result

    async def declare(self) -> None:
        async with await connect(self.broker) as client:
            exchange, queue = Exchange(self.name, "topic"), Queue(self.name)
            await client.declare(
                exchange, queue, Queue(f"{self.name}-one"), Binding(self.name, self.name, "#")
            )

    async def arrived(self, queue: str) -> list[str | None]:
        """The ids of what is in a queue now; it is empty afterwards."""
        async with await connect(self.broker) as client:
            found = []
            while delivery := await client.get(queue):
                found.append(delivery.properties.as_dict()["message_id"])
                delivery.ack()
            return found


@pytest.fixture(scope="module")
def desk(
    spark: SparkSession, penstock_server: Running, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    @contextmanager
    def opened(*_: Any, **__: Any) -> Iterator[SparkSession]:
        yield spark

    name = f"event-log-{uuid.uuid4().hex[:8]}"
    log = EventLog(str(tmp_path_factory.mktemp("log") / "log"))
    rows = [message(number, exchange=name) for number in range(4)]
    log.add(frame(spark, [*rows, message(9, "Other", exchange=name)], MESSAGES))
    dead = told(step("dead", 1, 2, queue="stock", reason="rejected"))
    log.add_lives(frame(spark, [dead], LIVES))
    made = Desk(log.path, penstock_server.url, name)
    asyncio.run(made.declare())
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(session, "open_session", opened)
        yield made


def test_a_log_is_asked_and_replayed_once(desk: Desk) -> None:
    # Given what the log shows, and SQL on it
    assert desk.run("event-log", "show").splitlines()[:3] == [
        "day\ttype\tevents",
        "2026-01-31\tOrderPlaced\t4",
        "2026-01-31\tOther\t1",
    ]
    query = "SELECT sum(get_json_object(text, '$.total')) AS total FROM events_orderplaced"
    assert desk.run("event-log", "sql", query) == "total\n6\n"
    assert desk.run("event-log", "sql", "SELECT x FROM events", code=1).startswith("penstock: 'SELECT x FROM")
    # When some of it is replayed, first dry
    chosen = [
        *("replay", "--type", "OrderPlaced", "--from", "2026-01-31T12:01"),
        *("--where", "routing_key <> 'orders.2'"),
    ]
    assert desk.run(*chosen, "--dry-run").splitlines() == [
        "day\ttype\tevents",
        "2026-01-31\tOrderPlaced\t2",
        "2 would be published",
    ]
    assert asyncio.run(desk.arrived(desk.name)) == []
    assert desk.run(*chosen) == "2 published\n"
    # Then it is where it once went, in order; and a second time nothing is published
    assert asyncio.run(desk.arrived(desk.name)) == ["m1", "m3"]
    assert desk.run(*chosen).splitlines()[-1] == "2 published"
    assert asyncio.run(desk.arrived(desk.name)) == []
    # But another replay, for one consumer alone, is another
    alone = [*chosen, "--to-consumer", f"{desk.name}-one", "--rate", "1000"]
    assert desk.run(*alone) == "2 published\n"
    assert asyncio.run(desk.arrived(f"{desk.name}-one")) == ["m1", "m3"]
    # And what cannot be is one line
    assert "there is no queue nowhere" in desk.run(*chosen, "--to-consumer", "nowhere", code=1)
    said = desk.run("replay", "--where", "totl = 1", code=1)
    assert said.startswith("penstock: --where 'totl = 1' cannot be: A column")
    assert said.count("\n") == 1


def test_a_log_is_reported_as_tables_and_pictures(desk: Desk, tmp_path: Path) -> None:
    shown = desk.run("reports", "rates", "failures", "--out", str(tmp_path / "pictures"), "--limit", "3")
    assert "… and 2 rows more" in shown
    assert "rejected\tstock\tOrderPlaced\t1" in shown
    drawn = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert drawn == ["failures.png", "rates.png"]
    shown = desk.run("reports", "rates", "--from", "2027-01-01")
    assert shown == "Events by type: there are no events of that time\n"


PIPELINES = """
from penstock.pipelines.declared import Parquet, Rate, pipeline

@pipeline("counted", source=Rate(), sink=Parquet("counted"))
def counted(rows):
    return rows.select("value")
"""


def test_a_program_is_told_the_same(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT type, count(*) AS events FROM events GROUP BY type ORDER BY type"
    assert desk.ask("event-log", "sql", query) == [
        {"type": "OrderPlaced", "events": 4},
        {"type": "Other", "events": 1},
    ]
    asyncio.run(desk.arrived(desk.name))
    assert desk.ask("replay", "--type", "Other") == {"published": 1, "skipped": 0}
    dry = desk.ask("replay", "--type", "Other", "--dry-run")
    assert (dry["would_be_published"][0]["events"], dry["published_before"]) == (1, 1)
    assert asyncio.run(desk.arrived(desk.name)) == ["m9"]
    assert desk.ask("reports", "failures")["failures"]["rows"]
    module = f"module_{uuid.uuid4().hex}"
    (tmp_path / f"{module}.py").write_text(PIPELINES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    trial = desk.ask("pipelines", "dry-run", module, "counted", "--rows", "2")
    assert (trial["columns"], len(trial["rows"])) == ({"value": "bigint"}, 2)
    del sys.modules[module]
