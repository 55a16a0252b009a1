from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC, Activity, AnchorEvent, announce, announced
from penstock.did.anchoring import AnchorInfo
from penstock.did.anchoring.links import known_links, put_observed, put_pending
from penstock.did.anchoring.receiver import AnchorReceiver
from penstock.did.anchors import Anchor
from penstock.did.cas import ContentStorage, HashLink, Remote
from penstock.errors import NotAcceptable, NotConnected, Unavailable
from penstock.sidetree.canonical import canonical
from tests.did.activities.helpers import changed as with_change
from tests.did.anchored_dids import put_did_anchors
from tests.did.anchoring.helpers import A, B, C, Domain, PaperContents, changed, created, new_domain, run

if TYPE_CHECKING:
    from penstock.did.operation_queue import Posted


def publish(author: Domain, *batch: Posted) -> HashLink:
    """Anchor and publish a batch, and observe it at home; where it is."""
    run(author.write(*batch))
    _, payload = author.queues.published[-1]
    link: HashLink = run(author.anchoring.linksets.handle(payload))
    anchor = Anchor.parse(payload)
    author.clock.advance(1)
    suffixes = [each.suffix for each in anchor.payload.previous]
    author.database.do(put_did_anchors, suffixes, anchor=str(link), issued_at=anchor.credential.issued_at)
    return link


def creates(author: Domain) -> list[dict[str, Any]]:
    return [dict(each.document) for each in author.post.told("Create")]


def create(domain: Domain, document: dict[str, Any]) -> None:
    run(domain.anchoring.receiver.handle_create(Activity.parse(canonical(document))))


def announcing(*links: HashLink, actor: str = C.service) -> Activity:
    events = [AnchorEvent(url=each) for each in links]
    told = announce(name=f"{actor}/1", actor=actor, to=[PUBLIC], events=events, at=1.0)
    return Activity.parse(canonical(told))


def observed(domain: Domain) -> list[str]:
    """What the observer was told of, in order, by hash."""
    return [HashLink.parse(each["hashLink"]).hash for each in domain.queues.of("anchor")]


def test_an_anchor_that_an_outbox_tells_of_is_taken_once_and_not_announced(
    author: Domain, witness: Domain
) -> None:
    link = publish(author, created(1))
    info = AnchorInfo(hash_link=str(link), attributed_to=A.service)
    receiver = witness.anchoring.receiver
    assert [run(receiver.take_told(info)) for _ in range(2)] == [True, False]
    assert observed(witness) == [link.hash]
    assert witness.post.told("Announce") == []


def test_a_created_anchor_is_stored_observed_and_announced(author: Domain, witness: Domain) -> None:
    link = publish(author, created(1))
    create(witness, creates(author)[0])
    local = HashLink.to(link.hash, [f"{B.base}/cas/{link.hash}"])
    assert witness.cas.has(link.hash)
    assert witness.queues.of("anchor") == [
        {"hashLink": str(link), "localHashLink": str(local), "attributedTo": A.service}
    ]
    (told,) = witness.post.told("Announce")
    assert (told.actor, told.to) == (B.service, (B.followers, PUBLIC))
    assert [str(each.url) for each in announced(told)] == [str(link)]
    assert witness.post.excluded[told.name] == [A.service]
    assert witness.database.do(known_links, [link.hash]) == {link.hash: "told"}


def test_what_is_known_already_is_left_alone(author: Domain, witness: Domain) -> None:
    link = publish(author, created(1))
    create(witness, creates(author)[0])
    create(witness, creates(author)[0])
    run(witness.anchoring.receiver.handle_announce(announcing(link)))
    assert (len(observed(witness)), witness.post.count) == (1, 1)


def test_an_announced_anchor_is_fetched_and_not_announced_further(author: Domain, other: Domain) -> None:
    link = publish(author, created(1))
    run(other.anchoring.receiver.handle_announce(announcing(link, actor=B.service)))
    (info,) = other.queues.of("anchor")
    assert (info["hashLink"], info["attributedTo"]) == (str(link), B.service)
    assert other.post.posted == {}


def test_unknown_parents_are_observed_first_and_each_once(author: Domain, witness: Domain) -> None:
    first = publish(author, created(1))
    second = publish(author, created(2))
    third = publish(author, changed(1), changed(2))
    fourth = publish(author, changed(1, "recover"), changed(2, "recover"))
    create(witness, creates(author)[-1])
    order = [each.hash for each in (first, second, third, fourth)]
    assert sorted(observed(witness)[:2]) == sorted(order[:2])
    assert observed(witness)[2:] == order[2:]
    # Later they are told of, too.
    for document in creates(author):
        create(witness, document)
    assert len(observed(witness)) == 4


def test_parents_that_are_observed_are_not_fetched(author: Domain, witness: Domain) -> None:
    first = publish(author, created(1))
    second = publish(author, changed(1))
    witness.database.do(put_observed, first, 1.0)
    create(witness, creates(author)[1])
    assert observed(witness) == [second.hash]


def test_parents_of_which_nobody_knows_whether_the_observer_was_told_are_told_of(
    author: Domain, witness: Domain
) -> None:
    first = publish(author, created(1))
    second = publish(author, changed(1))
    witness.database.do(put_pending, first, 1.0)
    create(witness, creates(author)[1])
    assert observed(witness) == [first.hash, second.hash]


@pytest.mark.parametrize("away", ["post", "queues"])
def test_what_fails_half_way_is_done_the_next_time(author: Domain, witness: Domain, away: str) -> None:
    link = publish(author, created(1))
    getattr(witness, away).is_away = True
    with pytest.raises(NotConnected):
        create(witness, creates(author)[0])
    getattr(witness, away).is_away = False
    create(witness, creates(author)[0])
    assert observed(witness)[-1] == link.hash
    assert len(witness.post.told("Announce")) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("actor", C.service),
        ("object.object.linkset.0.author", [{"href": C.service}]),
        ("object.url", ["hl:x"]),
        ("object.type", "Note"),
    ],
)
def test_a_bad_create_is_refused(author: Domain, witness: Domain, path: str, value: Any) -> None:
    publish(author, created(1))
    with pytest.raises(NotAcceptable):
        create(witness, with_change(creates(author)[0], path, value))
    assert (witness.queues.published, witness.post.posted) == ([], {})


def test_a_parent_that_nobody_has_is_told(author: Domain, witness: Domain) -> None:
    first = publish(author, created(1))
    publish(author, changed(1))
    del witness.contents.of[first.hash]
    with new_domain(B, clock=author.clock, contents=witness.contents) as fresh:
        with pytest.raises(NotAcceptable):
            create(fresh, creates(author)[1])
        assert fresh.queues.published == []


def test_one_that_cannot_be_taken_does_not_keep_the_others_away(author: Domain, other: Domain) -> None:
    link = publish(author, created(1))
    nowhere = HashLink.of(b"nowhere")
    with pytest.raises(NotAcceptable):
        run(other.anchoring.receiver.handle_announce(announcing(nowhere, link)))
    assert observed(other) == [link.hash]


def test_a_chain_that_is_too_long_is_refused(author: Domain, witness: Domain) -> None:
    publish(author, created(1))
    publish(author, changed(1))
    publish(author, changed(1, "recover"))
    with pytest.raises(NotAcceptable, match="replay"):
        run(receiver_of(witness, longest=1).handle_create(author.post.told("Create")[-1]))


def receiver_of(domain: Domain, *, cas: Any = None, **more: Any) -> AnchorReceiver:
    return AnchorReceiver(
        B,
        domain.database,
        cas=cas or domain.cas,
        queues=domain.queues,
        post=domain.post,
        clock=domain.clock,
        **more,
    )


class LeftAt:
    """The network, when one domain has what all have had, and nobody else answers."""

    def __init__(self, base: str, contents: PaperContents) -> None:
        self._base = base
        self._contents = contents

    def fetch(self, url: str, *, limit: int, accept: str = "") -> bytes:
        if not url.startswith(self._base):
            raise Unavailable(f"{url} does not answer")
        name = url.rpartition("%2F" if "resource=" in url else "/")[2]
        if "resource=" in url:
            return canonical({"links": [{"rel": "self", "href": f"{self._base}/cas/{name}"}]})
        return self._contents.of[name]


@pytest.mark.parametrize("is_told_by_outbox", [False, True])
def test_what_an_author_that_is_gone_had_is_had_from_whoever_tells_of_it(
    author: Domain, other: Domain, contents: PaperContents, *, is_told_by_outbox: bool
) -> None:
    links = [publish(author, created(1)), publish(author, changed(1))]
    remote = Remote(read=LeftAt(B.base, contents).fetch)
    cas = ContentStorage(PaperContents(), links_at=f"{C.base}/cas", remote=remote)
    receiver = receiver_of(other, cas=cas)
    if is_told_by_outbox:
        run(receiver.take_told(AnchorInfo(hash_link=str(links[1]), attributed_to=B.service)))
    else:
        run(receiver.handle_announce(announcing(links[1], actor=B.service)))
    assert observed(other) == [link.hash for link in links]
    receiver.close()


class SlowContents:
    """A domain's, which waits a minute for each that is not here yet."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._here: set[str] = set()

    def get(self, reference: str, *, limit: int) -> bytes:
        data = self._domain.cas.get(reference, limit=limit)
        if HashLink.parse(reference).hash not in self._here:
            self._domain.clock.advance(61)
        return data

    def put(self, data: bytes) -> HashLink:
        link = self._domain.cas.put(data)
        self._here.add(link.hash)
        return link


def test_who_names_too_many_before_one_has_none_of_them_fetched(author: Domain, witness: Domain) -> None:
    for number in range(3):
        publish(author, created(number))
    publish(author, *map(changed, range(3)))
    # After a minute it would be told to come again.
    receiver = receiver_of(witness, cas=SlowContents(witness), longest=2)
    with pytest.raises(NotAcceptable, match="more than 2 unknown anchors"):
        run(receiver.handle_create(author.post.told("Create")[-1]))
    receiver.close()


def test_slow_domains_have_their_time_and_then_it_is_others_turn(author: Domain, witness: Domain) -> None:
    links = [publish(author, created(1)), publish(author, changed(1)), publish(author, changed(1, "recover"))]
    told = author.post.told("Create")[-1]
    receiver = receiver_of(witness, cas=SlowContents(witness))
    with pytest.raises(Unavailable, match="the rest later"):
        run(receiver.handle_create(told))
    assert observed(witness) == []
    # What was stored then is not waited for again.
    run(receiver.handle_create(told))
    assert observed(witness) == [link.hash for link in links]
    receiver.close()


def test_so_it_is_with_many_that_are_announced(author: Domain, witness: Domain) -> None:
    links = [publish(author, created(number)) for number in range(3)]
    receiver = receiver_of(witness, cas=SlowContents(witness))
    for _ in range(2):
        with pytest.raises(Unavailable, match="the rest later"):
            run(receiver.handle_announce(announcing(*links)))
    run(receiver.handle_announce(announcing(*links)))
    assert observed(witness) == [link.hash for link in links]
    receiver.close()
