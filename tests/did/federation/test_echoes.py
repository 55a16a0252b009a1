from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC, announce, follow, like, undo, unlike
from penstock.did.federation.echoes import Echoes
from penstock.did.federation.handlers import Handlers
from penstock.did.federation.membership import LIKED, LIKES, SHARES, page_of_members
from penstock.errors import BadActivity
from tests.did.activities.helpers import URL
from tests.did.federation.helpers import EVENT, A, B, told
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase

LIKE = like(name=B.activity("1"), actor=B.service, to=[PUBLIC], liked=EVENT, at=1.0)
FOLLOW = follow(name=B.activity("3"), actor=B.service, target=A.service)


@pytest.fixture
def both(kept_in_memory: DomainDatabase, clock: VirtualClock) -> tuple[Handlers, Handlers]:
    coming, going = Handlers(), Handlers()
    Echoes(kept_in_memory, clock=clock).register(coming, going)
    return coming, going


def entries(database: DomainDatabase, name: str, subject: str = "") -> list[str]:
    return database.do(page_of_members, name, range(10), subject=subject)


def test_likes_and_shares_are_known_by_the_anchor(
    both: tuple[Handlers, Handlers], kept_in_memory: DomainDatabase
) -> None:
    coming, _ = both
    share = announce(name=B.activity("2"), actor=B.service, to=[PUBLIC], events=[EVENT], at=1.0)
    for _ in range(2):
        run(coming.handle(told(LIKE)))
        run(coming.handle(told(share)))
    assert entries(kept_in_memory, LIKES, URL.hash) == [B.activity("1")]
    assert entries(kept_in_memory, SHARES, URL.hash) == [B.activity("2")]
    run(coming.handle(told(unlike(name="x", actor=B.service, undone=LIKE))))
    assert entries(kept_in_memory, LIKES, URL.hash) == []


def test_what_this_domain_likes_is_kept_until_it_does_no_more(
    both: tuple[Handlers, Handlers], kept_in_memory: DomainDatabase
) -> None:
    _, going = both
    mine: Any = like(name=A.activity("1"), actor=A.service, to=[PUBLIC], liked=EVENT, at=1.0)
    run(going.handle(told(mine)))
    assert entries(kept_in_memory, LIKED) == [str(URL)]
    run(going.handle(told(unlike(name="x", actor=A.service, undone=mine))))
    assert entries(kept_in_memory, LIKED) == []


def test_taking_something_else_back_is_no_business_of_likes(both: tuple[Handlers, Handlers]) -> None:
    for handlers in both:
        run(handlers.handle(told(undo(name="x", actor=B.service, undone=FOLLOW))))


def test_nobody_takes_back_anothers_like(
    both: tuple[Handlers, Handlers], kept_in_memory: DomainDatabase
) -> None:
    coming, _ = both
    run(coming.handle(told(LIKE)))
    for undone in (LIKE, LIKE | {"actor": A.service}):
        with pytest.raises(BadActivity):
            run(coming.handle(told(unlike(name="x", actor=A.service, undone=undone))))
    assert entries(kept_in_memory, LIKES, URL.hash) == [B.activity("1")]
