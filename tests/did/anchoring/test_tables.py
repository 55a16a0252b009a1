from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.anchoring.tables import ANCHORING, anchors

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_tables_are_created_once(kept: DomainDatabase) -> None:
    kept.create(ANCHORING)
    found = kept.do(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(anchors)))
    assert found == 0
