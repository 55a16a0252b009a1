from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC, created
from penstock.did.anchoring.credential_store import read_credential
from penstock.did.anchoring.links import known_links
from penstock.did.anchors import Anchor
from penstock.did.queues import DomainQueues
from penstock.errors import NotAcceptable, NotConnected
from penstock.sidetree.canonical import canonical
from tests.did.anchoring.helpers import A, run
from tests.did.operation_queue.helpers import Bodied

if TYPE_CHECKING:
    from penstock.did.cas import HashLink
    from tests.did.anchoring.helpers import Domain


@pytest.fixture
def payload(author: Domain) -> bytes:
    """A message of the queue."""
    run(author.write())
    ((_, found),) = author.queues.published
    author.queues.published.clear()
    return found


def test_an_anchor_goes_to_storage_to_the_observer_and_to_followers(author: Domain, payload: bytes) -> None:
    link: HashLink = run(author.anchoring.linksets.handle(payload))
    anchor = Anchor.parse(payload)
    assert author.cas.get(link.hash) == payload
    name = anchor.uri.removeprefix("hl:")
    assert author.database.do(read_credential, name) == canonical(anchor.credential.document)
    assert author.queues.of("anchor") == [{"hashLink": str(link)}]
    (told,) = author.post.told("Create")
    assert (told.actor, told.to) == (A.service, (A.followers, PUBLIC))
    assert (str(created(told).url), created(told).linkset) == (str(link), anchor.document)
    assert author.database.do(known_links, [link.hash]) == {link.hash: "told"}


def test_a_message_that_comes_twice_does_no_harm(author: Domain, payload: bytes) -> None:
    links = [run(author.anchoring.linksets.handle(payload)) for _ in range(2)]
    assert links[0] == links[1]
    assert (len(author.post.posted), author.queues.of("anchor")[0]) == (1, author.queues.of("anchor")[1])


@pytest.mark.parametrize("away", ["post", "queues"])
def test_a_message_that_fails_half_way_is_handled_the_next_time(
    author: Domain, payload: bytes, away: str
) -> None:
    getattr(author, away).is_away = True
    with pytest.raises(NotConnected):
        run(author.anchoring.linksets.handle(payload))
    getattr(author, away).is_away = False
    link: HashLink = run(author.anchoring.linksets.handle(payload))
    assert author.queues.of("anchor")[-1] == {"hashLink": str(link)}
    assert len(author.post.told("Create")) == 1


@pytest.mark.parametrize("body", [b"", b"{}", b'{"linkset":[]}'])
def test_what_is_no_anchor_is_refused(author: Domain, body: bytes) -> None:
    with pytest.raises(NotAcceptable):
        run(author.anchoring.linksets.handle(body))
    assert author.queues.published == []


def test_another_domains_anchor_is_refused(witness: Domain, payload: bytes) -> None:
    with pytest.raises(NotAcceptable, match="author"):
        run(witness.anchoring.linksets.handle(payload))


def test_its_consumer_has_the_queue_and_its_pool(author: Domain) -> None:
    consumer = author.anchoring.linksets.consumer(author.parameters, DomainQueues())
    received: Any = Bodied(b"{}")
    assert consumer.decode(received) == b"{}"
    assert (consumer.queue, consumer.pool) == (
        "orb.anchor_linkset",
        author.parameters.mq_anchor_linkset_pool,
    )
