from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC, follow, like, names
from penstock.did.federation.archive import OUTBOX, find_activity
from penstock.did.federation.handlers import Handlers
from penstock.did.federation.membership import FOLLOWERS, add_member
from penstock.did.federation.outbox import AT_ONCE, Outbox
from penstock.did.federation.outgoing import Outgoing
from penstock.did.federation.recipients import Recipients
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import BadActivity, PublishRefused, StoreError, Unavailable
from penstock.messaging.subscriptions import ErrorClass, Pausing
from penstock.sidetree.canonical import parse
from tests.did.federation.helpers import EVENT, OUTBOX_QUEUE, A, B, PaperQueues, read
from tests.did.federation.test_recipients import PaperPeers
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.did.activities import Activity
    from penstock.did.database import DomainDatabase

FOLLOW = follow(name=A.activity("1"), actor=A.service, target=B.service)


class PaperPost:
    """Takes letters, and writes down to whom."""

    def __init__(self) -> None:
        self.letters: list[tuple[str, Any]] = []

    def deliver(self, inbox: str, body: bytes) -> None:
        if "away" in inbox:
            raise Unavailable("nobody is there")
        self.letters.append((inbox, parse(body)))


@pytest.fixture
def post() -> PaperPost:
    return PaperPost()


@pytest.fixture
def own() -> Handlers:
    return Handlers()


@pytest.fixture
def outbox(kept_in_memory: DomainDatabase, broker: PaperQueues, post: Any, own: Handlers) -> Iterator[Outbox]:
    peers: Any = PaperPeers()
    recipients = Recipients(kept_in_memory, peers, A)
    outbox = Outbox(
        kept_in_memory,
        broker,
        recipients,
        post,
        service=A.service,
        own=own,
        parameters=DidParameters(),
        queues=DomainQueues(),
    )
    yield outbox
    outbox.close()


def go_on(outbox: Outbox, broker: PaperQueues) -> int:
    """Do every step until nothing is left; returns how many there were."""
    steps = 0
    while outgoing := broker.outgoing():
        for each in outgoing:
            run(outbox.handle(each))
            steps += 1
    return steps


def test_what_is_posted_is_kept_and_delivered(
    outbox: Outbox, broker: PaperQueues, post: PaperPost, kept_in_memory: DomainDatabase
) -> None:
    run(outbox.post(FOLLOW))
    assert post.letters == []
    assert go_on(outbox, broker) == 2
    assert post.letters == [(f"{B.service}/inbox", FOLLOW)]
    assert kept_in_memory.do(find_activity, OUTBOX, A.service, A.activity("1")) == FOLLOW


def test_followers_are_told_but_for_those_left_out(
    outbox: Outbox, broker: PaperQueues, post: PaperPost, kept_in_memory: DomainDatabase
) -> None:
    for follower in ("f1", "f2", "f3"):
        kept_in_memory.do(add_member, FOLLOWERS, follower, at=1.0)
    to = [A.collection(FOLLOWERS), "f1", PUBLIC]
    run(outbox.post(like(name=A.activity("2"), actor=A.service, to=to, liked=EVENT, at=1.0), exclude=["f2"]))
    go_on(outbox, broker)
    assert [inbox for inbox, _ in post.letters] == ["f1/inbox", "f3/inbox"]


def test_however_many_are_told_there_are_few_copies_at_a_time(
    outbox: Outbox,
    broker: PaperQueues,
    post: PaperPost,
    kept_in_memory: DomainDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    everybody = [f"f{number}" for number in range(2 * AT_ONCE + 1)]
    for follower in everybody:
        kept_in_memory.do(add_member, FOLLOWERS, follower, at=1.0)
    at_once: list[int] = []
    publish = broker.publish_many

    async def publish_many(messages: list[Any], **more: Any) -> Any:
        at_once.append(len(messages))
        return await publish(messages, **more)

    monkeypatch.setattr(broker, "publish_many", publish_many)
    to = [A.collection(FOLLOWERS)]
    run(outbox.post(like(name=A.activity("2"), actor=A.service, to=to, liked=EVENT, at=1.0)))
    at_once.clear()
    go_on(outbox, broker)
    assert at_once == [AT_ONCE, AT_ONCE, 1]
    assert [inbox for inbox, _ in post.letters] == [f"{each}/inbox" for each in everybody]


def test_what_waits_for_each_names_the_activity_and_has_no_copy_of_it(
    outbox: Outbox, broker: PaperQueues, post: PaperPost
) -> None:
    # An anchor, say, with its linkset; and one follower is gone for good.
    told = {**FOLLOW, "to": ["away", "there"], "linkset": "x" * 1_000_000}
    run(outbox.post(told))
    (broadcast,) = broker.outgoing()
    run(outbox.handle(broadcast))
    waiting = broker.written(OUTBOX_QUEUE)
    assert [len(message.body) < 1000 for message in waiting] == [True, True]
    for message in waiting:
        with suppress(Unavailable):
            run(outbox.handle(read(message)))
    go_on(outbox, broker)
    assert post.letters == [("there/inbox", told)]
    with pytest.raises(BadActivity, match="has no activity"):
        run(outbox.handle(Outgoing(type="deliver", activity={"id": "nobody's"}, target="there")))


def test_a_service_that_is_away_holds_nobody_up(outbox: Outbox, broker: PaperQueues, post: PaperPost) -> None:
    to = ["away", "odd", "there"]
    told = like(name=A.activity("2"), actor=A.service, to=to, liked=EVENT, at=1.0)
    run(outbox.post(told))
    (broadcast,) = broker.outgoing()
    run(outbox.handle(broadcast))
    later, odd, now = broker.outgoing()
    assert (later.type, later.target) == ("resolve-and-deliver", "away")
    assert (odd.type, odd.target) == ("resolve-and-deliver", "odd")
    assert (now.type, now.target) == ("deliver", "there/inbox")
    with pytest.raises(Unavailable):
        run(outbox.handle(later))
    # When it is back, its inbox is found, and the activity delivered there.
    run(outbox.handle(Outgoing(type="resolve-and-deliver", activity=told, target="back")))
    go_on(outbox, broker)
    assert post.letters == [("back/inbox", told)]


def test_a_delivery_that_fails_is_to_be_tried_again(outbox: Outbox) -> None:
    outgoing = Outgoing(type="deliver", activity=FOLLOW, target="away")
    with pytest.raises(Unavailable) as caught:
        run(outbox.handle(outgoing))
    assert outbox.consumer.errors.of(caught.value) is ErrorClass.TRANSIENT
    assert outbox.consumer.errors.of(StoreError("away")) is ErrorClass.TRANSIENT
    # One that is away is not all of them; without the database nothing can be done for any.
    assert outbox.consumer.pausing == Pausing(on=(StoreError,))
    assert outbox.consumer.queue == OUTBOX_QUEUE


def test_what_the_domain_itself_does_about_an_activity_is_done_before_others_hear(
    outbox: Outbox, own: Handlers, broker: PaperQueues
) -> None:
    async def fails(told: Activity) -> None:
        raise Unavailable("not now")

    own.on(names.FOLLOW, fails)
    run(outbox.post(FOLLOW))
    with pytest.raises(Unavailable):
        go_on(outbox, broker)
    assert broker.outgoing() == []


def test_what_the_broker_does_not_take_is_an_error(outbox: Outbox, broker: PaperQueues) -> None:
    run(outbox.post(FOLLOW))
    (broadcast,) = broker.outgoing()
    run(outbox.handle(broadcast))
    (message,) = broker.written(OUTBOX_QUEUE)
    broker.errors[message.id] = PublishRefused("full")
    with pytest.raises(PublishRefused):
        run(outbox.handle(broadcast))


@pytest.mark.parametrize(
    "activity", [{}, FOLLOW | {"type": "Shout"}, FOLLOW | {"actor": B.service}, FOLLOW | {"id": 1}]
)
def test_only_activities_of_this_service_are_posted(
    outbox: Outbox, broker: PaperQueues, activity: dict[str, Any]
) -> None:
    with pytest.raises(BadActivity):
        run(outbox.post(activity))
    with pytest.raises(BadActivity):
        run(outbox.handle(Outgoing(type="broadcast", activity=activity)))
    assert broker.outgoing() == []
