"""The commands, with a database in a file, a real PostgreSQL to guard, and real brokers to publish to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app
from tests.servers import postgresql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.desk import Desk


def test_the_status_of_a_healthy_outbox(quiet: Desk) -> None:
    assert quiet.run("status") == "0 waiting, the oldest for 0.0 s\n0 set aside, 0 relayed and kept\n"


def test_failures_are_shown_and_told_to_scripts(quiet: Desk) -> None:
    quiet.add(b"1")
    quiet.change(relayed=-1, attempts=5, error="Unroutable: nobody")
    assert quiet.run("status", code=1).splitlines()[1:] == [
        "1 set aside, 0 relayed and kept",
        "1  ThreadCreated  5 attempts, set aside: Unroutable: nobody",
    ]
    assert json.loads(quiet.run("status", "--json", code=1))["set_aside"] == 1
    assert quiet.run("retry") == "1 put back\n"
    assert json.loads(quiet.run("status", "--json"))["waiting"] == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["replay"], "penstock: which ones? Say --from"),
        (["replay", "--since", "yesterday"], "penstock: from: 'yesterday' is no instant"),
        (["prune", "--keep", "long"], "penstock: keep: 'long' is not"),
        (["status", "--database", "mysql://x"], "penstock: an outbox is kept in PostgreSQL or SQLite"),
    ],
)
def test_what_cannot_be_understood_is_one_line_and_exit_code_2(
    quiet: Desk, arguments: list[str], told: str
) -> None:
    output = quiet.run(*arguments, code=2)
    assert output.startswith(told)
    assert output.count("\n") == 1


# guard


@pytest.fixture(scope="module")
def database(real_program: Callable[[str], Path]) -> Iterator[str]:
    server = postgresql.start(real_program("postgresql"), postgresql.IMPATIENT)
    assert server.running is not None
    yield postgresql.url_of(server.running)
    server.destroy()


def test_guarding_shows_the_plan_and_does_it_when_told_to(database: str) -> None:
    engine = sa.create_engine(database)
    with engine.begin() as connection:
        for statement in (
            "CREATE ROLE app",
            "CREATE ROLE clerk",
            "CREATE TABLE threads (id int)",
            "GRANT UPDATE ON threads TO clerk",
        ):
            connection.execute(sa.text(statement))

    def guard(*more: str, given: str | None = None) -> tuple[int, list[str]]:
        arguments = ["outbox", "guard", "--database", database, "--role", "app", "threads", *more]
        result = CliRunner().invoke(app, arguments, input=given, env={"COLUMNS": "200"})
        if "--json" in more:
            return result.exit_code, [result.stdout]
        return result.exit_code, result.output.splitlines()

    revoke = "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON threads FROM clerk;"
    code, lines = guard(given="n\n")
    assert (code, lines[0], lines[-1]) == (1, revoke, "Aborted.")
    assert guard("--yes") == (
        0,
        [
            revoke,
            "GRANT SELECT, INSERT, UPDATE, DELETE ON threads TO app;",
            "still: postgres can INSERT, UPDATE, DELETE, TRUNCATE threads: superuser",
        ],
    )
    assert revoke not in guard("--yes")[1]
    told = json.loads(guard("--yes", "--json")[1][0])
    assert (len(told["done"]), len(told["left"])) == (1, 1)
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE threads OWNER TO clerk"))
    assert guard("--yes")[0] == 1
    engine.dispose()


def test_a_program_is_told_the_same(quiet: Desk) -> None:
    assert json.loads(quiet.run("prune", "--json")) == {"deleted": 0}
    assert json.loads(quiet.run("retry", "--json")) == {"put_back": 0}
