from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.activities import PUBLIC, AnchorEvent, create, created, follow, offer
from penstock.did.activities.activity import activity
from penstock.did.cas import HashLink
from penstock.did.federation.archive import OUTBOX, find_activity, is_handled, keep_activity
from penstock.did.federation.shortening import shorten_activities
from penstock.sidetree.canonical import canonical
from tests.did.anchors.helpers import LINKSET
from tests.did.federation.helpers import A, B, told

if TYPE_CHECKING:
    from typing import Any

    from penstock.did.database import DomainDatabase

WHOLE_FOR = 600.0
FOLLOW = follow(name=A.activity("f"), actor=A.service, target=B.service)


def offered(name: str) -> dict[str, Any]:
    return offer(
        name=A.activity(name), actor=A.service, to=[B.service], linkset=LINKSET, at=1.0, ends_at=601.0
    )


def keep(database: DomainDatabase, document: object, at: float) -> None:
    database.do(keep_activity, OUTBOX, told(document), at=at)


def found(database: DomainDatabase, name: str) -> Any:
    return database.do(find_activity, OUTBOX, A.service, A.activity(name))


def shorten(database: DomainDatabase, now: float, limit: int) -> int:
    return database.do(shorten_activities, now, limit, kept_for=WHOLE_FOR)


def test_old_offers_lose_their_linksets_and_nothing_else(kept: DomainDatabase) -> None:
    keep(kept, offered("1"), 0.0)
    keep(kept, FOLLOW, 0.0)
    keep(kept, offered("2"), 100.0)
    assert shorten(kept, WHOLE_FOR + 99, 10) == 1
    assert found(kept, "1") == offered("1") | {"object": LINKSET["linkset"][0]["anchor"]}
    assert kept.do(is_handled, OUTBOX, A.service, A.activity("1"))
    assert (found(kept, "2"), found(kept, "f")) == (offered("2"), FOLLOW)


def test_no_more_than_asked_for_are_shortened_at_a_time_and_each_once(kept: DomainDatabase) -> None:
    for number in range(5):
        keep(kept, offered(str(number)), 0.0)
    assert [shorten(kept, WHOLE_FOR, 2) for _ in range(4)] == [2, 2, 1, 0]
    assert isinstance(found(kept, "4")["object"], str)


def test_an_offer_of_something_else_stays_as_it_is(kept: DomainDatabase) -> None:
    strange = activity("Offer", name=A.activity("1"), actor=A.service, to=[B.service], about="https://x")
    keep(kept, strange, 0.0)
    assert shorten(kept, WHOLE_FOR, 10) == 1
    assert found(kept, "1") == strange


def test_old_creates_lose_their_linksets_and_say_where_they_are(kept: DomainDatabase) -> None:
    event = AnchorEvent(url=HashLink.of(canonical(LINKSET)), linkset=LINKSET)
    whole = create(name=A.activity("1"), actor=A.service, to=[PUBLIC], event=event, at=1.0)
    keep(kept, whole, 0.0)
    keep(kept, {**whole, "id": A.activity("2")}, 100.0)
    kept.do(keep_activity, OUTBOX, told({**whole, "id": A.activity("3")}), at=0.0, error="not now")
    assert shorten(kept, WHOLE_FOR + 99, 10) == 2
    # All that a reader of the box needs is there, and what was not handled is as it was.
    assert created(told(found(kept, "1"))) == AnchorEvent(url=event.url)
    assert created(told(found(kept, "2"))) == created(told(found(kept, "3"))) == event


def test_both_types_share_one_limit(kept: DomainDatabase) -> None:
    event = AnchorEvent(url=HashLink.of(canonical(LINKSET)), linkset=LINKSET)
    for number in range(3):
        keep(kept, offered(f"o{number}"), 0.0)
        name = A.activity(f"c{number}")
        keep(kept, create(name=name, actor=A.service, to=[PUBLIC], event=event, at=1.0), 0.0)
    assert [shorten(kept, WHOLE_FOR, 4) for _ in range(3)] == [4, 2, 0]


def test_what_is_of_other_types_is_not_gone_through(kept_in_memory: DomainDatabase) -> None:
    keep(kept_in_memory, FOLLOW, 0.0)
    asked: list[tuple[str, Any]] = []
    sa.event.listen(
        kept_in_memory.engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, values, *_: asked.append((statement, values)),
    )
    shorten(kept_in_memory, WHOLE_FOR, 10)
    looks = [each for each in asked if "penstock_activities" in each[0]]

    def plan(connection: sa.Connection, statement: str, values: Any) -> str:
        found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        return " ".join(row.detail for row in found)

    plans = [kept_in_memory.do(plan, *each) for each in looks]
    assert ["penstock_activities_by_type" in each for each in plans] == [True, True]
