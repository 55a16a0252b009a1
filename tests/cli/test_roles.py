from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.cli.roles import examine_roles
from penstock.errors import BadSetting, OutboxError, StoreError
from penstock.messaging.doctor import Severity
from tests.servers import postgresql
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.running import Running


class Shared:
    """A database with a table, an application's role, and somebody else's."""

    def __init__(self, running: Running) -> None:
        mark = uuid.uuid4().hex[:8]
        self.table, self.role, self.other = f"threads_{mark}", f"app_{mark}", f"other_{mark}"
        self.running = running
        self.run(
            f"CREATE ROLE {self.role} LOGIN",
            f"CREATE ROLE {self.other}",
            f"CREATE TABLE {self.table} (id int)",
            f"GRANT SELECT, INSERT, UPDATE ON {self.table} TO {self.role}",
            f"GRANT SELECT, UPDATE ON {self.table} TO {self.other}",
        )

    def run(self, *statements: str) -> None:
        engine = sa.create_engine(self.url())
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))
        engine.dispose()

    def url(self, user: str = postgresql.SUPERUSER) -> str:
        return postgresql.url_of(self.running, user=user)


@pytest.fixture(scope="module")
def server(real_program: Callable[[str], Path]) -> Iterator[Running]:
    server = postgresql.start(real_program("postgresql"), postgresql.IMPATIENT)
    assert server.running is not None
    yield server.running
    server.destroy()


@pytest.fixture
def shared(server: Running) -> Shared:
    return Shared(server)


def test_others_who_can_write_are_found(shared: Shared) -> None:
    found = examine_roles(shared.url(), shared.role, [shared.table])
    assert [(each.severity, each.subject) for each in found] == [
        (Severity.RISK, f"role {shared.other} on table {shared.table}"),
        (Severity.NOTE, f"role postgres on table {shared.table}"),
    ]
    assert found[0].text == (
        "it can UPDATE (granted), and consumers would not be told: `penstock outbox guard` takes that away"
    )


def test_the_application_s_own_role_is_the_url_s_unless_told(shared: Shared) -> None:
    shared.run(f"REVOKE UPDATE ON {shared.table} FROM {shared.other}")
    # Any way to write a URL of PostgreSQL will do.
    url = shared.url(shared.role).replace("postgresql+psycopg:", "postgresql:")
    assert [each.severity for each in examine_roles(url, None, [shared.table])] == [Severity.NOTE]


def test_the_command_tells_of_them(shared: Shared, penstock_server: Running) -> None:
    arguments = ["doctor", penstock_server.url, "--database", shared.url(), "--role", shared.role]
    result = CliRunner().invoke(app, [*arguments, "--table", shared.table])
    assert result.exit_code == 0
    assert f"? role {shared.other} on table {shared.table}: it can UPDATE" in result.output
    assert CliRunner().invoke(app, [*arguments, "--table", shared.table, "--strict"]).exit_code == 1


def test_tables_and_roles_that_are_not_there(shared: Shared) -> None:
    with pytest.raises(OutboxError, match="there is no table nothing"):
        examine_roles(shared.url(), shared.role, ["nothing"])
    with pytest.raises(OutboxError, match="there is no role nobody"):
        examine_roles(shared.url(), "nobody", [shared.table])


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("nonsense", "a database is named like"),
        ("sqlite:///file.db", "sqlite has no roles"),
        ("postgresql://localhost/db", "whose tables are they"),
    ],
)
def test_what_is_no_question(url: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        examine_roles(url, None, ["t"])


def test_a_database_that_does_not_answer() -> None:
    with pytest.raises(StoreError, match="the database cannot be read or written"):
        examine_roles(f"postgresql://ada:secret@127.0.0.1:{free_port()}/db", None, ["t"])
