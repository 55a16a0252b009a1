from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC
from penstock.did.federation.membership import FOLLOWERS, WITNESSES, add_member
from penstock.did.federation.recipients import Recipients
from penstock.errors import Unavailable
from tests.did.federation.helpers import A
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


class PaperPeers:
    """Services by their IRI; each has its inbox at its own place."""

    def actor(self, iri: str) -> Any:
        if "away" in iri:
            raise Unavailable(f"{iri} is away")
        if "odd" in iri:
            raise ValueError(f"{iri} answers what nobody has thought of")
        return type("Actor", (), {"places": {"inbox": f"{iri}/inbox"}})


@pytest.fixture
def recipients(kept_in_memory: DomainDatabase) -> Recipients:
    for collection, entry in [(FOLLOWERS, "f1"), (FOLLOWERS, "both"), (WITNESSES, "both"), (WITNESSES, "w1")]:
        kept_in_memory.do(add_member, collection, entry, at=1.0)
    peers: Any = PaperPeers()
    return Recipients(kept_in_memory, peers, A)


@pytest.mark.parametrize(
    ("to", "exclude", "expected"),
    [
        ([], [], []),
        ([PUBLIC, A.service], [], []),
        (["x", PUBLIC, "x"], [], ["x"]),
        ([A.collection(FOLLOWERS)], [], ["f1", "both"]),
        ([A.collection(FOLLOWERS), "y", A.collection(WITNESSES)], [], ["f1", "both", "y", "w1"]),
        ([A.collection(FOLLOWERS)], ["f1", "nobody"], ["both"]),
    ],
)
def test_collections_are_expanded_and_each_service_is_told_once(
    recipients: Recipients, to: list[str], exclude: list[str], expected: list[str]
) -> None:
    assert run(recipients.services(to, exclude=exclude)) == expected


def test_an_inbox_is_where_its_service_says(recipients: Recipients) -> None:
    assert recipients.inbox_of("x") == "x/inbox"
    with pytest.raises(Unavailable):
        recipients.inbox_of("away")
