from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
import sqlalchemy as sa
from msgspec.structs import asdict

from penstock.did.operations import OPERATIONS, add_operations, operations_of
from penstock.did.operations.history import operations_between
from penstock.did.operations.tables import did_operations, unpublished_operations
from penstock.messaging.layout import COUNTED, Layout
from tests.did.kept_operations import FIRST_KEY
from tests.sidetree.lives import anchored

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.database import DomainDatabase

CREATE = b'{"type":"create"}'
WAYS = '["hl:x","https:a.example:x"]'
#: Seven anchors of three hundred DIDs each.
OLD = [
    anchored(
        CREATE,
        f"did-{n % 300}",
        n // 300,
        reference=f"uEi{n // 300}",
        equivalents=("hl:x", "https:a.example:x"),
        anchor_origin={"of": "it"},
        previous="uBefore",
        verified=n % 2 == 0,
        protocol_version=5,
        number=3,
    )
    for n in range(2100)
]

#: The columns of both.
COLUMNS: tuple[sa.Column[Any], ...] = (
    sa.Column("type", sa.String),
    sa.Column("request", sa.LargeBinary),
    *(sa.Column(name, sa.BigInteger) for name in ("time", "number", "protocol_version")),
    *(sa.Column(name, sa.Text) for name in ("previous", "equivalents", "anchor_origin")),
    sa.Column("verified", sa.Boolean),
)


def first_layout() -> sa.Table:
    named = (sa.Column(name, sa.String, primary_key=True) for name in ("suffix", "reference"))
    return sa.Table(did_operations.name, sa.MetaData(), *named, *(each._copy() for each in COLUMNS))


def second_layout() -> sa.Table:
    return sa.Table(
        did_operations.name,
        sa.MetaData(),
        sa.Column("id", COUNTED, sa.Identity(), primary_key=True),
        sa.Column("did_key", sa.BigInteger, nullable=False, server_default="0"),
        *(sa.Column(name, sa.String) for name in ("suffix", "reference")),
        *(each._copy() for each in COLUMNS),
        sa.Index("penstock_did_operations_by_did", "did_key"),
    )


@pytest.mark.parametrize(("version", "make"), [(1, first_layout), (2, second_layout)])
def test_the_rows_of_older_layouts_become_batches(
    database: DomainDatabase, monkeypatch: pytest.MonkeyPatch, version: int, make: Callable[[], sa.Table]
) -> None:
    old = make()

    def fill(connection: sa.Connection) -> None:
        old.create(connection)
        rows = [{**asdict(each), "equivalents": WAYS, "anchor_origin": '{"of":"it"}'} for each in OLD]
        connection.execute(old.insert(), rows)
        unpublished_operations.create(connection)

    database.create(Layout("operations", sa.MetaData(), steps=[Mock()] * (version - 1)))
    database.do(fill)
    # Whoever dies on the way leaves everything as it was.
    with monkeypatch.context() as broken:
        broken.setattr("penstock.did.operations.layout.PIECE", 1000)
        dying = Mock(side_effect=[None, KeyboardInterrupt])
        broken.setattr("penstock.did.operations.layout.add_operations", dying)
        with pytest.raises(KeyboardInterrupt):
            database.create(OPERATIONS)
    database.create(OPERATIONS)
    assert sorted(database.do(operations_of, "did-3"), key=lambda each: each.time) == OLD[3::300]
    found = database.do(operations_between, FIRST_KEY, None)
    assert sorted(found, key=repr) == sorted(OLD, key=repr)
    assert "penstock_did_operations_old" not in sa.inspect(database.engine).get_table_names()
    # What comes now is added to what has come before.
    database.do(add_operations, [anchored(CREATE, "did-3", 9)])
    assert len(database.do(operations_of, "did-3")) == 8
