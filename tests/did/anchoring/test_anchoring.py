"""The whole circle of an anchor between domains, by the handlers that each registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring.links import copies_of
from penstock.did.anchors import Anchor
from penstock.did.cas import HashLink
from penstock.did.credentials import check, proofs_of
from penstock.did.federation import Handlers
from tests.did.anchoring.helpers import B, C, Domain, PaperKeys, created, run

if TYPE_CHECKING:
    from penstock.did.activities import Activity


def deliver(receiver: Domain, told: Activity) -> None:
    handlers = Handlers()
    receiver.anchoring.register(handlers)
    run(handlers.handle(told))


def test_an_anchor_is_offered_witnessed_published_announced_and_liked(
    domains: tuple[Domain, Domain, Domain],
) -> None:
    author, witness, other = domains
    author.neighbours.invited = [B.service]
    witness.neighbours.witnessing = {author.identity.service}
    # Offered, and accepted.
    run(author.write(created(1), created(2)))
    deliver(witness, author.post.told("Offer")[0])
    deliver(author, witness.post.told("Accept")[0])
    ((_, payload),) = author.queues.published
    # Published to those who follow the author, and announced to those who follow them.
    link: HashLink = run(author.anchoring.linksets.handle(payload))
    deliver(witness, author.post.told("Create")[0])
    deliver(other, witness.post.told("Announce")[0])
    for each in (witness, other):
        (info,) = each.queues.of("anchor")
        anchor = Anchor.parse(each.cas.get(info["hashLink"]))
        check(anchor.credential.document, PaperKeys())
        assert len(proofs_of(anchor.credential.document)) == 2
        assert anchor.hash == link.hash
    # Liked by who has observed it.
    local = HashLink.parse(other.queues.of("anchor")[0]["localHashLink"])
    run(other.anchoring.likes.like(link, local, [witness.identity.service, author.identity.service]))
    deliver(author, other.post.told("Like")[0])
    assert author.database.do(copies_of, link.hash) == [str(local)]
    assert f"{C.base}/cas/" in local.links[0]
