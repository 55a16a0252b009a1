"""The statements by themselves; how relays use them is in test_claims.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.outbox.statements import NextRows, Settlement, Settling
from tests.outbox.helpers import add, rows

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.outbox import Outbox


def test_rows_are_read_from_the_first_or_from_behind_another(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2")
    add(engine, outbox, b"urgent", priority=1)
    next_rows = NextRows(outbox)
    with engine.connect() as connection:
        found = next_rows.read(connection, 2, None)
        assert [row.id for row in found] == ["urgent", "1"]
        assert [row.id for row in next_rows.read(connection, 9, found[0])] == ["1", "2"]
        assert [row.id for row in next_rows.read(connection, 9, found[1])] == ["2"]


def test_thousands_are_settled_with_one_parameter(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, *(b"%d" % n for n in range(5)))
    settling = Settling(outbox, by_array=engine.dialect.name == "postgresql")
    with engine.begin() as connection:
        many = [*range(1, 4), *range(100_000, 140_000)]  # more than a statement may have parameters
        settling.settle(connection, Settlement(at=2.0, relayed=many, failed={4: "full"}, set_aside=[4]))
        settling.settle(connection, Settlement(at=3.0, relayed=[]))
    assert rows(engine, outbox, "relayed", "relayed_at", "attempts", "error") == [
        *[(1, 2.0, 0, None)] * 3,
        (-1, None, 1, "full"),
        (0, None, 0, None),
    ]


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_locked_rows_are_skipped(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2", b"3")
    next_rows = NextRows(outbox, has_locks=True)
    with engine.connect() as one, engine.connect() as other:
        first = next_rows.read(one, 1, None)
        assert [row.id for row in next_rows.read(other, 9, None)] == ["2", "3"]
        assert next_rows.read(one, 9, first[0]) == []
