from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.outbox.table import outbox_table, turn_table

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

ROW = {
    "id": "1",
    "type": "",
    "exchange": "",
    "key": "q",
    "priority": 0,
    "body": b"",
    "envelope": b"",
    "added_at": 0.0,
    "relayed": 1,
    "attempts": 0,
}


def test_tables_are_made_in_the_applications_metadata(engine: Engine) -> None:
    metadata = sa.MetaData()
    outbox_table("mine", metadata)
    turn_table("mine", metadata)
    metadata.create_all(engine)
    assert set(sa.inspect(engine).get_table_names()) == {"mine", "mine_turn"}


def test_a_sequence_is_never_used_again(engine: Engine) -> None:
    table = outbox_table("mine", sa.MetaData())
    table.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(table).inline(), [ROW, ROW])
        connection.execute(sa.delete(table))
        connection.execute(sa.insert(table).inline(), ROW)
        assert connection.scalar(sa.select(table.c.sequence)) == 3


def test_only_what_waits_is_in_the_index(engine: Engine) -> None:
    table = outbox_table("mine", sa.MetaData())
    table.metadata.create_all(engine)
    (index,) = sa.inspect(engine).get_indexes("mine")
    where = index["dialect_options"][f"{engine.dialect.name}_where"]
    assert str(where).strip("()") == "relayed = 0"
