from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest

from penstock.store.connecting import open_writer
from penstock.store.lending import Lending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def lending(tmp_path: Path) -> Iterator[Lending]:
    path = tmp_path / "penstock.db"
    open_writer(path).close()
    made = Lending(path)
    yield made
    made.close()


def test_who_comes_next_gets_the_same_and_who_comes_meanwhile_another(lending: Lending) -> None:
    with lending.connection() as first:
        assert first.execute("SELECT count(*) FROM message").fetchone() == (0,)
        with lending.connection() as second:
            assert second is not first
    with lending.connection() as third:
        assert third is first
    assert repr(lending).endswith("penstock.db: 0 lent, 2 idle>")


def test_one_that_failed_is_returned_too(lending: Lending) -> None:
    with pytest.raises(sqlite3.OperationalError), lending.connection() as connection:
        connection.execute("SELECT nothing FROM nowhere")
    with lending.connection() as again:
        assert again is connection


def test_what_is_lent_cannot_write(lending: Lending) -> None:
    with lending.connection() as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM message")


def test_it_is_closed_when_nobody_has_one(lending: Lending) -> None:
    with lending.connection() as connection:
        closing = threading.Thread(target=lending.close)
        closing.start()
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert closing.is_alive()
    closing.join()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
