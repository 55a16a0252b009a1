from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from penstock.errors import OutboxError
from penstock.outbox import other_writers
from penstock.outbox.guard import apply, plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection, Engine

#: Roles are the whole server's, so that their names are this test process's own.
MARK = uuid.uuid4().hex[:8]
APP, CLERK, GROUP, MEMBER, COLUMNS = (
    f"{name}_{MARK}" for name in ("app", "clerk", "group", "member", "Columns")
)


@pytest.fixture
def connection(postgresql_engine: Engine) -> Iterator[Connection]:
    """Shared tables that too many can write, in a transaction that is rolled back, roles and all."""
    with postgresql_engine.connect() as connection:
        for statement in (
            *(f'CREATE ROLE "{role}" LOGIN' for role in (APP, CLERK, GROUP, MEMBER, COLUMNS)),
            f'GRANT "{GROUP}" TO "{MEMBER}"',
            "CREATE TABLE threads (id serial PRIMARY KEY, title text)",
            f'GRANT SELECT, UPDATE ON threads TO "{CLERK}"',
            f'GRANT INSERT ON threads TO "{GROUP}"',
            f'GRANT UPDATE (title) ON threads TO "{COLUMNS}"',
            f"GRANT USAGE ON SCHEMA {connection.scalar(sa.text('SELECT current_schema'))} TO PUBLIC",
            "CREATE TABLE private (id int)",
            f'GRANT SELECT ON private TO "{CLERK}"',
            "GRANT DELETE ON private TO PUBLIC",
        ):
            connection.exec_driver_sql(statement)
        yield connection


def found(connection: Connection, table: str) -> dict[str, tuple[tuple[str, ...], str]]:
    return {
        writer.role: (writer.privileges, writer.how)
        for writer in other_writers(connection, APP, [table])
        if writer.role.endswith(MARK)
    }


def test_whoever_can_write_is_found_with_the_reason(connection: Connection) -> None:
    assert found(connection, "threads") == {
        CLERK: (("UPDATE",), "granted"),
        GROUP: (("INSERT",), "granted"),
        MEMBER: (("INSERT",), "through a role that it is in"),
        COLUMNS: (("UPDATE",), "granted on columns"),
    }
    assert found(connection, "private")[CLERK] == (("DELETE",), "granted to everybody")


def test_superusers_are_told_apart(connection: Connection) -> None:
    superusers = [writer for writer in other_writers(connection, APP, ["threads"]) if writer.is_superuser]
    assert [writer.role for writer in superusers] == ["postgres"]
    assert str(superusers[0]) == "postgres can INSERT, UPDATE, DELETE, TRUNCATE threads: superuser"


def test_an_owner_is_found(connection: Connection) -> None:
    connection.exec_driver_sql(f'ALTER TABLE threads OWNER TO "{CLERK}"')
    assert found(connection, "threads")[CLERK][1] == "owner"


def test_the_plan_leaves_writing_to_the_application_alone(connection: Connection) -> None:
    statements = plan(connection, APP, ["threads", "private"])
    assert found(connection, "threads") != {}, "a plan changes nothing"
    apply(connection, statements)
    assert (found(connection, "threads"), found(connection, "private")) == ({}, {})
    connection.exec_driver_sql(f'SET LOCAL ROLE "{APP}"')
    connection.exec_driver_sql("INSERT INTO threads (title) VALUES ('mine')")
    connection.exec_driver_sql(f'SET LOCAL ROLE "{CLERK}"')
    assert connection.exec_driver_sql("SELECT title FROM threads").scalar() == "mine"
    with pytest.raises(ProgrammingError, match="permission denied"):
        connection.exec_driver_sql("UPDATE threads SET title = 'not mine'")


def test_the_plan_shows_what_it_does(connection: Connection) -> None:
    assert plan(connection, APP, ["threads"]) == [
        f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON threads FROM {CLERK}",
        f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON threads FROM {GROUP}",
        f'REVOKE INSERT (title), UPDATE (title) ON threads FROM "{COLUMNS}"',
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON threads TO {APP}",
        f"GRANT USAGE ON SEQUENCE threads_id_seq TO {APP}",
    ]


def test_a_plan_that_was_applied_has_nothing_left_to_revoke(connection: Connection) -> None:
    apply(connection, plan(connection, APP, ["threads"]))
    assert [line for line in plan(connection, APP, ["threads"]) if line.startswith("REVOKE")] == []


def test_what_is_not_there_is_told(connection: Connection) -> None:
    with pytest.raises(OutboxError, match="there is no table nothing"):
        plan(connection, APP, ["nothing"])
    with pytest.raises(OutboxError, match="there is no role nobody"):
        other_writers(connection, "nobody", ["threads"])


def test_sqlite_has_no_roles() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection, pytest.raises(OutboxError, match="sqlite has no roles"):
        plan(connection, APP, ["threads"])
    engine.dispose()
