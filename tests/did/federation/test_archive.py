from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.activities import PUBLIC, AnchorEvent, follow, names
from penstock.did.activities.activity import activity
from penstock.did.federation.archive import (
    INBOX,
    LARGE,
    OUTBOX,
    count_public,
    count_type,
    find_activity,
    is_handled,
    keep_activity,
    public_activities,
)
from tests.did.federation.helpers import EVENT, A, B, told

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

FOLLOW = follow(name=A.activity("1"), actor=A.service, target=B.service)


def keep(database: DomainDatabase, document: object, *, box: str = INBOX, error: str = "") -> None:
    database.do(keep_activity, box, told(document), at=1.0, error=error)


def test_an_activity_is_kept_once_and_found_by_its_name(kept: DomainDatabase) -> None:
    assert not kept.do(is_handled, INBOX, A.service, A.activity("1"))
    for _ in range(2):
        keep(kept, FOLLOW)
    assert kept.do(is_handled, INBOX, A.service, A.activity("1"))
    assert kept.do(find_activity, INBOX, A.service, A.activity("1")) == FOLLOW
    assert kept.do(find_activity, OUTBOX, A.service, A.activity("1")) is None
    assert kept.do(count_type, INBOX, names.FOLLOW) == 1
    assert kept.do(count_type, INBOX, names.LIKE) == 0


def test_one_that_failed_is_not_handled_until_it_is(kept: DomainDatabase) -> None:
    keep(kept, FOLLOW, error="no")
    assert not kept.do(is_handled, INBOX, A.service, A.activity("1"))
    keep(kept, FOLLOW)
    assert kept.do(is_handled, INBOX, A.service, A.activity("1"))
    keep(kept, FOLLOW, error="again")
    assert kept.do(is_handled, INBOX, A.service, A.activity("1"))


def test_the_reason_may_quote_what_no_database_takes(kept: DomainDatabase) -> None:
    keep(kept, FOLLOW, error="http://a.example/\0 may not be asked")
    assert kept.do(find_activity, INBOX, A.service, A.activity("1")) == FOLLOW


def test_nobody_can_take_the_name_of_anothers_activity(kept: DomainDatabase) -> None:
    squatting = follow(name=A.activity("1"), actor=B.service, target=A.service)
    keep(kept, squatting)
    assert not kept.do(is_handled, INBOX, A.service, A.activity("1"))
    keep(kept, FOLLOW)
    assert kept.do(find_activity, INBOX, A.service, A.activity("1")) == FOLLOW


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (range(2), ["0", "1"]),
        (range(1, 3), ["1", "2"]),
        (range(2)[::-1], ["1", "0"]),
        (range(2, 3)[::-1], ["2"]),
        (range(0), []),
    ],
)
def test_only_what_is_for_everybody_is_shown(
    kept_in_memory: DomainDatabase, span: range, expected: list[str]
) -> None:
    keep(kept_in_memory, FOLLOW, box=OUTBOX)
    for number in range(3):
        public = activity(names.LIKE, name=A.activity(f"{number}"), actor=A.service, to=[PUBLIC], about="x")
        keep(kept_in_memory, public | {"id": f"{number}"}, box=OUTBOX)
    assert kept_in_memory.do(count_public, OUTBOX) == 3
    assert [each["id"] for each in kept_in_memory.do(public_activities, OUTBOX, span)] == expected


def test_of_what_is_large_a_page_has_the_essentials(kept_in_memory: DomainDatabase) -> None:
    junk = {"more": "x" * LARGE}
    least = {"actor": A.service, "to": [PUBLIC]}
    event = AnchorEvent(url=EVENT.url).document()
    whole = event | {"object": {"linkset": [junk]}}
    created = activity(names.CREATE, name="small", actor=A.service, to=[PUBLIC], about=whole)
    for document in (
        created,
        created | {"id": "large", **junk},
        activity(names.LIKE, name="like", actor=A.service, to=[PUBLIC], about="x") | junk,
        activity(names.LIKE, name="last", actor=A.service, to=[PUBLIC], about="x"),
    ):
        keep(kept_in_memory, document, box=OUTBOX)
    small, large, like, last = kept_in_memory.do(public_activities, OUTBOX, range(4))
    assert small == created | {"object": event}
    assert large == least | {"id": "large", "type": names.CREATE}
    assert like == least | {"id": "like", "type": names.LIKE}
    assert last["object"] == "x"
    assert kept_in_memory.do(find_activity, OUTBOX, A.service, "small") == created


def test_nobody_looks_into_what_is_large_and_came_from_others(kept_in_memory: DomainDatabase) -> None:
    event = AnchorEvent(url=EVENT.url).document() | {"object": {"linkset": ["x" * LARGE]}}
    keep(kept_in_memory, activity(names.CREATE, name="1", actor=B.service, to=[PUBLIC], about=event))
    [shown] = kept_in_memory.do(public_activities, INBOX, range(1))
    assert shown == {"id": "1", "type": names.CREATE, "actor": B.service, "to": [PUBLIC]}
