from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.federation import FEDERATION
from penstock.did.federation.marks import mark_of, put_mark

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_of_each_service_the_last_mark_is_kept(database: DomainDatabase) -> None:
    database.create(FEDERATION)
    assert database.do(mark_of, "a") is None
    for name in ("", "one", "two", "one"):
        database.do(put_mark, "a", name, 1.0)
        assert database.do(mark_of, "a") == name
    database.do(put_mark, "b", "three", 1.0)
    assert [database.do(mark_of, service) for service in "abc"] == ["one", "three", None]
