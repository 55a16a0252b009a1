from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Engine

THREADS = sa.Table(
    "threads", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("title", sa.String)
)
MODULE = """
import sqlalchemy as sa
from penstock.messaging import Destination, Message
from penstock.outbox import Outbox, Reconciler, SharedTable, Told

def prepare(event):
    return Message(body=event.encode(), type="Mine"), Destination("commons", "Mine")

def describe(change):
    return f"{change.kind} {change.key['id']}"

id_, title = sa.Column("id", sa.Integer, primary_key=True), sa.Column("title", sa.String)
threads = sa.Table("threads", sa.MetaData(), id_, title)
mine = Reconciler(Told(Outbox(prepare=prepare)), [SharedTable(threads, describe=describe)])
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/app.db")
    engine = sa.create_engine(f"sqlite:///{tmp_path}/app.db")
    THREADS.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(THREADS), [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}])
    yield engine
    engine.dispose()


def run(*arguments: str, code: int = 0) -> list[str]:
    result = CliRunner().invoke(app, ["reconcile", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output.splitlines()


def told(engine: Engine) -> list[tuple[Any, ...]]:
    table = Outbox().table.c
    with engine.connect() as connection:
        return [
            tuple(row)
            for row in connection.execute(
                sa.select(table.exchange, table.type, table.body).order_by(table.sequence)
            )
        ]


def test_consumers_are_told_what_a_migration_changed(engine: Engine) -> None:
    assert run("threads", "--exchange", "commons", "--dry-run") == ["threads: 2 created", "2 would be told"]
    assert run("threads", "--assume-told") == ["threads: 2 created", "2 taken for told"]
    with engine.begin() as connection:
        connection.execute(sa.delete(THREADS).where(THREADS.c.id == 1))
        connection.execute(sa.update(THREADS).values(title="new"))
    assert run("threads", "--exchange", "commons", "--verbose") == [
        "threads updated: id=2",
        "threads deleted: id=1",
        "threads: 1 deleted",
        "threads: 1 updated",
        "2 told",
    ]
    assert told(engine) == [
        ("commons", "threads.updated", b'{"id":2,"title":"new"}'),
        ("commons", "threads.deleted", b'{"id":1}'),
    ]
    assert run("threads") == ["0 told"]


def test_an_application_may_describe_its_changes(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "describing.py").write_text(MODULE)
    assert run("--described-by", "describing:mine") == ["threads: 2 created", "2 told"]
    assert told(engine) == [("commons", "Mine", b"created 1"), ("commons", "Mine", b"created 2")]
    sys.modules.pop("describing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "penstock: which tables? Name them, or --described-by MODULE:NAME"),
        (["nothing"], "penstock: there is no table nothing"),
        (["--described-by", "nowhere:x"], "penstock: --described-by nowhere:x: No module named 'nowhere'"),
        (["--described-by", "json:dumps"], "penstock: --described-by json:dumps is no Reconciler"),
    ],
)
def test_what_cannot_be_understood_is_one_line_and_exit_code_2(
    engine: Engine, arguments: list[str], message: str
) -> None:
    assert run(*arguments, code=2) == [message]


def test_a_program_is_told_the_same(engine: Engine) -> None:
    found = json.loads("\n".join(run("threads", "--dry-run", "--json")))
    assert found["changes"] == [{"table": "threads", "kind": "created", "count": 2}]
    assert (found["done"], found["total"]) == ("would be told", 2)
