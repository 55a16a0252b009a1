from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.activities import PUBLIC, Offer
from penstock.did.anchors import Anchor, Draft, Payload, Previous
from penstock.did.credentials import check
from penstock.errors import CutLost, DidError, PreviousUnknown, WitnessesNotFound
from penstock.testing import Crash, crash_after, crash_before
from tests.did.anchored_dids import put_did_anchors
from tests.did.anchoring.helpers import CORE_INDEX, A, B, C, D, PaperKeys, changed, created, run
from tests.did.anchors.helpers import link, suffix

if TYPE_CHECKING:
    from tests.did.anchoring.helpers import Domain


def test_a_batch_that_needs_no_witness_is_published_at_once(author: Domain) -> None:
    anchor = run(author.write(created(1), created(2)))
    (linkset,) = author.queues.of("anchor_linkset")
    found = Anchor.read(linkset)
    check(found.credential.document, PaperKeys())
    assert (found.uri, found.author, author.status(anchor)) == (anchor, A.service, "completed")
    assert [each.suffix for each in found.payload.previous] == [suffix("did 1"), suffix("did 2")]
    assert found.payload.core_index == CORE_INDEX
    assert found.credential.issued_at == author.clock.now()
    assert author.post.posted == {}


def test_a_batch_that_needs_witnesses_is_offered_to_them(author: Domain) -> None:
    author.neighbours.invited = [B.service, A.service]
    anchor = run(author.write(created(1, C.service), created(2, C.service)))
    (told,) = author.post.told("Offer")
    offered = Offer.of(told)
    assert set(told.to) == {B.service, C.service, PUBLIC}
    assert Anchor.read(offered.linkset).uri == anchor
    assert (offered.starts_at, offered.ends_at) == (author.clock.now(), author.clock.now() + 600)
    assert author.status(anchor) == "in-process"
    assert author.queues.published == []


def test_only_as_many_witnesses_are_asked_as_the_policy_needs(author: Domain) -> None:
    author.neighbours.invited = [B.service, C.service, D.service]
    author.neighbours.policy = "OutOf(1,system)"
    run(author.write())
    (told,) = author.post.told("Offer")
    assert len(told.to) == 2


def test_a_witness_that_does_not_answer_is_asked_only_if_the_policy_needs_it(author: Domain) -> None:
    author.neighbours.invited = [B.service, C.service]
    author.neighbours.silent = {B.service}
    author.neighbours.policy = "OutOf(1,system)"
    for number in range(9):
        run(author.write(created(number)))
    assert {told.to for told in author.post.told("Offer")} == {(C.service, PUBLIC)}
    author.neighbours.policy = ""
    run(author.write(created(9)))
    assert author.post.told("Offer")[-1].to == (C.service, PUBLIC)
    author.neighbours.policy = "OutOf(2,system)"
    run(author.write(created(10)))
    assert set(author.post.told("Offer")[-1].to) == {B.service, C.service, PUBLIC}


@pytest.mark.parametrize("policy", ["", "OutOf(2,system)"])
def test_while_all_witnesses_are_away_an_anchor_waits_for_them(
    author: Domain, domains: tuple[Domain, Domain, Domain], policy: str
) -> None:
    author.neighbours.invited = [B.service, C.service]
    author.neighbours.silent = {B.service, C.service}
    author.neighbours.policy = policy
    # Then it is anchored, offered to them, and not published.
    anchor = run(author.write())
    (told,) = author.post.told("Offer")
    assert set(told.to) == {B.service, C.service, PUBLIC}
    assert (author.status(anchor), author.queues.published) == ("in-process", [])
    # When they are back, and answer the offer.
    for each in domains[1:]:
        run(author.anchoring.proofs.handle(run(each.answer(told, author))))
    assert author.status(anchor) == "completed"


def test_a_changed_did_names_its_latest_anchor(author: Domain) -> None:
    author.database.do(put_did_anchors, [suffix("did 1")], anchor=link("first"), issued_at=1.0)
    run(author.write(changed(1), created(2)))
    found = Anchor.read(author.queues.of("anchor_linkset")[0])
    assert [each.anchor for each in found.payload.previous] == [link("first"), ""]


def test_a_did_without_an_anchor_is_refused(author: Domain) -> None:
    author.database.do(put_did_anchors, [suffix("did 1")], anchor=link("first"), issued_at=1.0)
    batch = [changed(1), changed(2, "recover"), created(3), changed(4, "deactivate")]
    writer = author.anchoring.writer
    unknown = [suffix("did 2"), suffix("did 4")]

    async def story() -> None:
        cut = await author.cut(*batch)
        with pytest.raises(PreviousUnknown, match="2 of 4 operations") as caught:
            await writer.write(cut)
        assert caught.value.suffixes == unknown
        # Nothing was anchored, and the others can be tried again.
        await cut.nack(caught.value, blamed=caught.value.suffixes)

    run(story())
    assert author.queues.published == []


def test_what_the_files_leave_out_is_not_anchored(author: Domain) -> None:
    async def story() -> None:
        one, two = created(1), created(2)
        await author.anchoring.writer.write(await author.cut(one, two, deferred=[one.id]))

    run(story())
    found = Anchor.read(author.queues.of("anchor_linkset")[0])
    assert [each.suffix for each in found.payload.previous] == [suffix("did 2")]


def test_what_was_drafted_with_the_files_is_signed_as_it_is(author: Domain) -> None:
    # Not what this domain would draft now: it knows no anchor of the DID.
    payload = Payload(
        core_index=CORE_INDEX, previous=(Previous(suffix("did 1"), link("first")),), origin=A.service
    )
    draft = Draft.of(payload)

    async def story() -> str:
        return await author.anchoring.writer.write(await author.cut(changed(1)), draft)

    assert run(story()) == draft.anchor
    found = Anchor.read(author.queues.of("anchor_linkset")[0])
    check(found.credential.document, PaperKeys())
    assert (found.uri, found.payload) == (draft.anchor, payload)


def test_too_few_witnesses_anchor_nothing(author: Domain) -> None:
    author.neighbours.policy = "OutOf(2,system)"
    author.neighbours.invited = [B.service]

    async def story() -> None:
        cut = await author.cut(created(1))
        with pytest.raises(WitnessesNotFound):
            await author.anchoring.writer.write(cut)
        assert author.reopened(cut).state == "files"

    run(story())


def test_a_cut_without_files_is_refused(author: Domain) -> None:
    with pytest.raises(DidError, match="no core index file"):
        run(author.anchoring.writer.write(author.cut_only(created(1))))


def test_an_anchored_cut_is_gone_on_with_and_not_anchored_again(author: Domain) -> None:
    author.neighbours.invited = [B.service]

    async def story() -> None:
        cut = await author.cut(created(1))
        with crash_before(author.post, "post"), pytest.raises(Crash):
            await author.anchoring.writer.write(cut)
        author.clock.advance(5)
        again = author.reopened(cut)
        assert again.state == "anchored"
        assert await author.anchoring.writer.write(again) == again.anchor
        assert await author.anchoring.writer.write(again) == again.anchor

    run(story())
    (told,) = author.post.told("Offer")
    # The offer is the one on record, and was not posted a second time.
    assert (Offer.of(told).ends_at, author.post.count) == (author.clock.now() - 5 + 600, 1)


def test_a_crash_after_the_offer_posts_the_same_activity_again(author: Domain) -> None:
    author.neighbours.invited = [B.service]

    async def story() -> None:
        cut = await author.cut(created(1))
        with crash_after(author.post, "post"), pytest.raises(Crash):
            await author.anchoring.writer.write(cut)
        author.clock.advance(5)
        await author.anchoring.writer.write(author.reopened(cut))

    run(story())
    assert (len(author.post.posted), author.post.count) == (1, 2)


def test_a_cut_that_is_lost_anchors_nothing(author: Domain) -> None:
    async def story() -> None:
        cut = await author.cut(created(1))
        other = author.reopened(cut)
        await author.anchoring.writer.write(other)
        with pytest.raises(CutLost):
            await author.anchoring.writer.write(cut)

    run(story())
    assert len(author.queues.published) == 1


@pytest.mark.parametrize("away", ["post", "queues"])
def test_what_is_anchored_is_anchored_though_the_broker_is_away(author: Domain, away: str) -> None:
    author.neighbours.invited = [B.service] if away == "post" else []
    getattr(author, away).is_away = True
    anchor = run(author.write())
    assert author.status(anchor) in {"in-process", "proved"}
    getattr(author, away).is_away = False
    author.clock.advance(30)
    run(author.anchoring.monitor.run())
    assert len(author.post.posted) + len(author.queues.published) == 1
