"""A PostgreSQL that is started, restarted and destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.servers import postgresql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_server_lives_and_leaves_nothing(real_program: Callable[[str], Path]) -> None:
    server = postgresql.start(real_program("postgresql"))
    try:
        assert server.running is not None
        where = f"host={server.running.host} port={server.port} user={postgresql.SUPERUSER}"
        with psycopg.connect(where) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
        server.restart()
        with psycopg.connect(where) as connection:
            assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]
    finally:
        server.destroy()
    assert not server.folder.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(where)


def test_settings_are_the_servers_own(real_program: Callable[[str], Path]) -> None:
    server = postgresql.PostgreSQL(real_program("postgresql"), postgresql.IMPATIENT)
    try:
        server.create()
        running = server.start("max_connections=7")
        where = f"host={running.host} port={running.port} user={postgresql.SUPERUSER}"
        with psycopg.connect(where) as connection:
            assert connection.execute("SHOW max_connections").fetchall() == [("7",)]
            assert connection.execute("SHOW fsync").fetchall() == [("off",)]
    finally:
        server.destroy()
