from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa

from penstock.errors import OutboxError
from penstock.messaging import Destination, Message
from penstock.outbox import SharedTable

CHAINS = sa.Table(
    "chains",
    sa.MetaData(),
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("name", sa.String),
    sa.Column("seen", sa.Integer),
)
#: A key of every kind that keys are of.
KEYS = sa.Table(
    "keys",
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("uuid", sa.Uuid, primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("price", sa.Numeric, primary_key=True),
)


def test_plain_messages_tell_the_row_or_the_key() -> None:
    shared = SharedTable(CHAINS, exchange="commons", columns=["name"])
    created = shared.change("created", ["a"], ["Alpha"])
    what, to = shared.message(created)
    assert isinstance(what, Message)
    assert (what.type, what.body, to) == (
        "chains.created",
        b'{"id":"a","name":"Alpha"}',
        Destination("commons", "chains.created"),
    )
    gone, _ = shared.message(shared.change("deleted", ["a"]))
    assert (gone.type, gone.body) == ("chains.deleted", b'{"id":"a"}')


def test_an_application_describes_changes_by_its_own_events() -> None:
    shared = SharedTable(CHAINS, describe=lambda change: (change.kind, change.key["id"], dict(change.row)))
    change = shared.change("updated", ["a"], ["a", "Alpha", 1])
    assert shared.message(change) == (("updated", "a", {"id": "a", "name": "Alpha", "seen": 1}), None)


def test_keys_come_back_in_their_types() -> None:
    shared = SharedTable(KEYS)
    key = (7, UUID(int=5), datetime(2026, 1, 2, 3, tzinfo=UTC), date(2026, 1, 2), Decimal("1.50"))
    assert shared.unpacked(shared.packed(key)) == key


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1, None], [1, None], True),
        ([{"a": 1, "b": 2}], [{"b": 2, "a": 1}], True),
        ([1, None], [None, 1], False),
        ([1], ["1"], False),
        ([b"\x00"], [b"\x01"], False),
        ([Decimal("1.0")], [Decimal("1.00")], False),
    ],
)
def test_another_state_has_another_fingerprint(one: list[Any], other: list[Any], *, same: bool) -> None:
    assert (SharedTable.fingerprint(one) == SharedTable.fingerprint(other)) is same


def test_values_that_json_has_no_word_for_are_told_as_text() -> None:
    assert SharedTable.fingerprint([1 + 2j]) == SharedTable.fingerprint(["(1+2j)"])


def test_a_table_without_a_key_is_refused() -> None:
    table = sa.Table("logs", sa.MetaData(), sa.Column("line", sa.String))
    with pytest.raises(OutboxError, match="logs has no primary key"):
        SharedTable(table)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(OutboxError, match="chains has no column nothing"):
        SharedTable(CHAINS, columns=["id", "nothing"])
