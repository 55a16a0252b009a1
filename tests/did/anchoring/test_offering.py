from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.activities import PUBLIC, Offer
from penstock.did.anchoring.in_process import mark_proved
from penstock.did.anchoring.offering import Offering, offer_name
from penstock.errors import NotConnected
from tests.did.anchoring.helpers import A, B, C, run

if TYPE_CHECKING:
    from tests.did.anchoring.helpers import Domain


@pytest.fixture
def offered(author: Domain) -> str:
    """An anchor whose offer could not be posted."""
    author.neighbours.invited = [C.service, B.service]
    author.post.is_away = True
    anchor: str = run(author.write())
    author.post.is_away = False
    return anchor


def offering(author: Domain) -> Offering:
    return Offering(A, author.database, author.post)


def test_an_offer_has_a_name_for_each_round() -> None:
    assert offer_name(A, "hl:x", 1) == offer_name(A, "hl:x", 1)
    assert offer_name(A, "hl:x", 1) != offer_name(A, "hl:x", 2) != offer_name(A, "hl:y", 2)


def test_an_offer_is_posted_as_it_is_on_record_and_once(author: Domain, offered: str) -> None:
    author.clock.advance(10)
    run(offering(author).post(offered))
    run(offering(author).post(offered))
    (told,) = author.post.told("Offer")
    record = author.record(offered)
    assert record is not None
    assert record.is_offered
    assert (told.name, told.to) == (offer_name(A, offered, 1), (B.service, C.service, PUBLIC))
    assert Offer.of(told).ends_at == record.ends_at
    assert author.post.count == 1


def test_an_offer_that_is_not_posted_stays_on_record(author: Domain, offered: str) -> None:
    author.post.is_away = True
    with pytest.raises(NotConnected):
        run(offering(author).post(offered))
    record = author.record(offered)
    assert record is not None
    assert record.awaits_posting


def test_what_needs_no_offer_gets_none(author: Domain, offered: str) -> None:
    author.database.do(mark_proved, offered, b"{}")
    run(offering(author).post(offered))
    run(offering(author).post("hl:unknown"))
    assert author.post.count == 0
