from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from sqlalchemy import event, select, update

from penstock.did.anchoring.links import (
    COPIES,
    FORGOTTEN_AFTER,
    REASONS,
    copies_of,
    expire_links,
    forget_copy,
    forget_link,
    held_link,
    known_links,
    overdue_links,
    put_copy,
    put_observed,
    put_pending,
    put_told,
    put_untold,
    untold_among,
)
from penstock.did.anchoring.tables import ANCHORING, links
from penstock.did.cas import HashLink

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sqlalchemy.engine import Connection

    from penstock.did.database import DomainDatabase

LINK = HashLink.of(b"a linkset")


def pending(database: DomainDatabase) -> None:
    database.do(put_pending, LINK, 1.0)


def told(database: DomainDatabase) -> None:
    database.do(put_told, LINK.hash, 1.0)


def tried_in_vain(database: DomainDatabase) -> None:
    database.do(put_untold, LINK.hash, 1.0)


def observed(database: DomainDatabase) -> None:
    database.do(put_observed, LINK, 1.0)


def held(database: DomainDatabase) -> None:
    state = next(iter(database.do(known_links, [LINK.hash]).values()), "pending")
    assert database.do(held_link, LINK, 1.0) == state


def forgotten(database: DomainDatabase) -> None:
    database.do(forget_link, LINK.hash)


@pytest.mark.parametrize(
    ("verbs", "expected"),
    [
        ([], None),
        ([pending], "pending"),
        ([pending, told], "told"),
        ([pending, told, observed], "observed"),
        # The observer may be quicker than whoever told it.
        ([pending, observed, told], "observed"),
        ([observed, pending], "observed"),
        ([pending, told, pending], "told"),
        ([told], None),
        ([pending, told, tried_in_vain], "pending"),
        ([pending, told, tried_in_vain, told], "told"),
        ([observed, tried_in_vain], "observed"),
        ([tried_in_vain], None),
        ([held], "pending"),
        ([pending, told, held], "told"),
        ([observed, held], "observed"),
        ([pending, told, forgotten], None),
        ([pending, observed, forgotten], "observed"),
    ],
)
def test_an_anchor_goes_from_pending_to_told_to_observed_and_not_back(
    kept: DomainDatabase, verbs: list[Callable[[DomainDatabase], Any]], expected: str | None
) -> None:
    for verb in verbs:
        verb(kept)
    assert kept.do(known_links, [LINK.hash, "u"]).get(LINK.hash) == expected
    # Whoever tells of it has the observer told, unless that is certain.
    told_for_certain = {LINK.hash} if expected in {"told", "observed"} else set()
    assert kept.do(untold_among, [LINK.hash, "u"]) == {LINK.hash, "u"} - told_for_certain


def test_copies_are_known_by_their_owners(kept: DomainDatabase) -> None:
    links = [str(HashLink.to(LINK.hash, [f"https://{name}/cas"])) for name in "bcd"]
    kept.do(put_copy, "https://c", HashLink.parse(links[0]))
    kept.do(put_copy, "https://b", HashLink.parse(links[1]))
    # Moved.
    kept.do(put_copy, "https://c", HashLink.parse(links[2]))
    assert kept.do(copies_of, LINK.hash) == [links[1], links[2]]
    kept.do(forget_copy, "https://b", LINK.hash)
    assert kept.do(copies_of, LINK.hash) == [links[2]]
    assert kept.do(copies_of, "u") == []


def test_of_many_copies_some_are_told_of(kept: DomainDatabase) -> None:
    for number in range(COPIES + 1):
        kept.do(put_copy, f"https://{number:03}.example", LINK)
    assert kept.do(copies_of, LINK.hash) == [str(LINK)] * COPIES


def test_what_was_told_long_ago_and_never_observed_is_forgotten(kept: DomainDatabase) -> None:
    links = {name: HashLink.of(name.encode()) for name in ("pending", "told", "observed", "young")}
    for name, link in links.items():
        kept.do(put_pending, link, 10.0 if name == "young" else 1.0)
        kept.do(put_copy, "https://b.example/services/orb", link)
    kept.do(put_told, links["told"].hash, 1.0)
    kept.do(put_observed, links["observed"], 1.0)
    assert kept.do(expire_links, FORGOTTEN_AFTER, 10) == 0
    assert [kept.do(expire_links, FORGOTTEN_AFTER + 9, 1) for _ in range(3)] == [1, 1, 0]
    left = kept.do(known_links, [link.hash for link in links.values()])
    assert left == {links["observed"].hash: "observed", links["young"].hash: "pending"}
    assert kept.do(copies_of, links["observed"].hash)
    assert not kept.do(copies_of, links["told"].hash)


def test_what_was_tried_in_vain_is_overdue_ever_more_rarely_and_is_forgotten_in_the_end(
    kept: DomainDatabase,
) -> None:
    kept.do(put_pending, LINK, 1000.0)
    tried = []
    for now in range(1000, 9000, 10):
        if kept.do(overdue_links, float(now), least=60.0, limit=9):
            tried.append(now - 1000)
            kept.do(put_told, LINK.hash, float(now))
            kept.do(put_untold, LINK.hash, now + 5.0)
    assert tried == [60, 130, 270, 550, 1110, 2230, 4470]
    assert kept.do(expire_links, FORGOTTEN_AFTER + 1000, 10) == 1


def test_so_it_is_with_one_that_an_older_version_was_told_of(kept: DomainDatabase) -> None:
    kept.do(put_pending, LINK, 1000.0)
    kept.do(lambda connection: connection.execute(update(links).values(since=None)))
    tried = []
    for now in range(1000, 3000, 10):
        if kept.do(overdue_links, float(now), least=60.0, limit=9):
            tried.append(now - 1000)
            kept.do(put_untold, LINK.hash, float(now))
    assert tried == [60, 120, 240, 480, 960, 1920]
    assert kept.do(expire_links, FORGOTTEN_AFTER + 1000, 10) == 1


def test_only_what_is_pending_is_overdue_the_oldest_first(kept: DomainDatabase) -> None:
    links = {name: HashLink.of(name.encode()) for name in ("second", "first", "third", "told", "observed")}
    for at, link in enumerate(links.values()):
        kept.do(put_pending, link, 10.0 - at if link == links["first"] else 10.0 + at)
    kept.do(put_told, links["told"].hash, 1.0)
    kept.do(put_observed, links["observed"], 1.0)
    found = kept.do(overdue_links, 100.0, least=60.0, limit=2)
    assert found == [str(links["first"]), str(links["second"])]


def plans(database: DomainDatabase, work: Callable[..., object], *values: Any, **more: Any) -> list[str]:
    """How SQLite finds the links for each statement of a piece of work."""
    asked: list[tuple[str, Any]] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, given: Any, *_more: object) -> None:
        asked.append((statement, given))

    database.do(work, *values, **more)
    event.remove(database.engine, "before_cursor_execute", note)

    def plan(connection: Connection, statement: str, given: Any) -> str:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
        return ", ".join(row.detail for row in rows if "penstock_anchor_links" in row.detail)

    told = (database.do(plan, *each) for each in asked if not each[0].startswith("BEGIN"))
    return [each for each in told if each]


def test_who_looks_for_what_is_not_observed_does_not_pass_all_that_is(memory: DomainDatabase) -> None:
    memory.create(ANCHORING)
    memory.do(put_pending, LINK, 1.0)
    by = "penstock_anchor_links USING INDEX penstock_anchor_links_open"
    assert plans(memory, overdue_links, 9.0, least=1.0, limit=9) == [f"SEARCH {by} (updated_at<?)"]
    looking, forgetting = plans(memory, expire_links, FORGOTTEN_AFTER + 9.0, 10)
    assert looking == f"SCAN {by}"
    assert forgetting.startswith("SEARCH")


def test_what_was_observed_is_counted_and_stays_so_if_it_is_told_again_without(kept: DomainDatabase) -> None:
    bad = [{"suffix": "x", "type": "update", "reason": "forged"}] * (REASONS + 1)
    kept.do(put_observed, LINK, 1.0, stored=3, refused=bad)
    kept.do(put_observed, LINK, 2.0)
    row = kept.do(lambda connection: connection.execute(select(links)).one())
    assert (row.updated_at, row.stored, row.refused) == (2.0, 3, REASONS + 1)
    assert msgspec.json.decode(row.reasons) == bad[:REASONS]
