"""Whole domains, in one process and over real HTTP, of which one lies, is away for long, or has another time.

There is no Spark here: batches are written and anchors observed by hand, with what executors do it with.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import SystemClock
from penstock.did.anchoring import AnchorInfo, recorded_files
from penstock.did.anchors import Anchor
from penstock.did.credentials import SigningKey, hosts_of
from penstock.did.domain import WEB, WORKER, WRITER, Domain
from penstock.did.federation.marks import mark_of
from penstock.did.federation.membership import FOLLOWERS, FOLLOWING, WITNESSES, all_members
from penstock.did.observing import Settling, Taken
from penstock.did.observing.taken import COLUMNS
from penstock.did.web import WebServer, listen
from penstock.messaging.dead_letters import DeadLetterStore, Selection
from penstock.messaging.embedded import EmbeddedBroker
from penstock.pipelines.did.observing.executing import opened
from penstock.pipelines.did.writing.files import files_of
from tests.did.domain.helpers import places_in
from tests.did.domain.living import ask
from tests.did.operation_queue.helpers import run
from tests.federation.dids import alike
from tests.server.peer import until
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

#: Nobody waits for long, and nobody tries for long.
HASTY: dict[str, Any] = {
    "mq_redelivery_max_attempts": 2,
    "max_witness_delay": 1,
    # A second would do for what is tested; a busy machine takes longer for a request.
    "max_clock_skew": 5,
    "witness_store_expiry_period": 60,
    "anchor_status_monitoring_interval": 0.2,
    "anchor_status_in_process_grace_period": 0.3,
    "witness_policy_cache_expiration": 0,
}


class SkewedClock(SystemClock):
    """A clock that is wrong by so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._epoch += seconds


class Neighbour:
    """A domain with a broker, and a door that can be shut."""

    def __init__(self, domain: Domain, port: int) -> None:
        self.domain = domain
        self.port = port
        self.server: WebServer | None = None

    async def open_door(self) -> None:
        self.server = WebServer(self.domain.site, listen("127.0.0.1", self.port))
        await self.server.start()

    async def shut_door(self) -> None:
        server, self.server = self.server, None
        if server is not None:
            await server.stop()

    def members(self, collection: str) -> list[str]:
        return self.domain.database.do(all_members, collection)

    async def waiting(self, queue: str = "anchor") -> int:
        return await self.domain.broker.depth(self.domain.queues.named(queue)) or 0

    async def anchor(self, request: bytes) -> None:
        """Have an operation anchored, as a batch writer does."""
        domain = self.domain
        status, body = await ask(domain, "POST", "/sidetree/v1/operations", request)
        assert status == 200, body
        await until(lambda: len(domain.operation_queue))
        cut = await domain.operation_queue.cut(force=True)
        assert cut is not None
        outcome = await asyncio.to_thread(files_of(domain.places.to_json()).write, cut.id)
        assert outcome.core_index is not None, outcome
        await cut.record_files(recorded_files(outcome.core_index))
        await domain.anchoring.writer.write(cut)
        await cut.ack()

    async def published_after(self, before: Anchor) -> Anchor:
        """The next anchor but one: of that the observer may be told more than once, on a busy machine."""
        while (found := await self.published()).hash == before.hash:
            pass
        return found

    async def published(self) -> Anchor:
        """The next anchor that the observer sees, once it is observed."""
        received = None
        async with asyncio.timeout(60):
            while received is None:
                received = await self.domain.broker.fetch(self.domain.queues.named("anchor"))
                await asyncio.sleep(0.01)
        info = AnchorInfo.decode(received.body)
        outcome = await asyncio.to_thread(opened(self.domain.places.to_json()).observer.observe, info)
        assert outcome.error is None
        received.ack()
        return Anchor.parse(await asyncio.to_thread(self.domain.cas.get, info.hash_link))

    async def observe(self) -> None:
        """Observe whatever comes, and see to what fails, until cancelled."""
        domain, settling = self.domain, Settling(self.domain, "anchor")
        while True:
            if (received := await domain.broker.fetch(settling.queue)) is None:
                await asyncio.sleep(0.02)
                continue
            headers = json.dumps(dict(received.message.headers))
            row = dict.fromkeys(COLUMNS) | {"body": received.body, "headers": headers}
            info = AnchorInfo.decode(received.body)
            outcome = await asyncio.to_thread(opened(domain.places.to_json()).observer.observe, info)
            await settling.settle([(Taken(settling.queue, row), outcome)])
            received.ack()

    async def resolved(self, suffix: str) -> dict[str, Any]:
        """What it knows of a DID, after as many anchors as that takes."""
        while (known := await self.maybe_resolved(suffix)) is None:
            await self.published()
        return known

    async def maybe_resolved(self, suffix: str) -> dict[str, Any] | None:
        """What it knows of a DID now; None if that is nothing."""
        path = f"/sidetree/v1/identifiers/did:orb:uAAA:{suffix}"
        status, body = await ask(self.domain, "GET", path)
        return alike(json.loads(body)) if status == HTTPStatus.OK else None

    async def follow(self, other: Neighbour) -> None:
        """Be told of another's anchors."""
        await self.domain.federation.follow(other.domain.iris.service)
        await comes_true(lambda: other.members(FOLLOWERS))


@asynccontextmanager
async def neighbour(
    folder: Path, word: str, *, clock: SystemClock | None = None, **given: Any
) -> AsyncIterator[Neighbour]:
    """A domain that answers."""
    bound = listen("127.0.0.1", 0)
    port = bound.getsockname()[1]
    bound.close()
    places = places_in(folder, word, base=f"http://127.0.0.1:{port}", **{**HASTY, **given})
    async with AsyncExitStack() as stack:
        broker = await EmbeddedBroker.start(clock=clock)
        stack.push_async_callback(broker.close)
        domain = Domain(places, roles=[WEB, WORKER, WRITER], clock=clock, broker=broker)
        made = Neighbour(await stack.enter_async_context(domain), port)
        stack.push_async_callback(made.shut_door)
        await made.open_door()
        yield made


async def comes_true(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 (threads set no event)
            await asyncio.sleep(0.02)


async def asked_until(question: Callable[[], Awaitable[Any]]) -> Any:
    async with asyncio.timeout(60):
        while not (found := await question()):  # noqa: ASYNC110 (a domain sets no event)
            await asyncio.sleep(0.02)
    return found


def test_a_witness_that_lies_is_passed_over_for_one_that_does_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            neighbour(tmp_path, "honest") as honest,
            neighbour(tmp_path, "liar") as liar,
        ):
            # Given a witness that signs with another key than it shows.
            identity = replace(liar.domain.identity, key=SigningKey.generate())
            liar.domain.anchoring.offers._identity = identity
            services = ",".join(each.domain.iris.service for each in (honest, liar))
            given: Any = {"invite_witness": services, "witness_policy": "OutOf(1,system)"}
            async with neighbour(tmp_path, "author", **given) as author:
                await comes_true(lambda: len(author.members(WITNESSES)) == 2)
                # When anchors are offered, to either of the two by chance.
                for follower in (honest, liar):
                    await follower.follow(author)
                lives = [Life(f"life{number}") for number in range(4)]
                for life in lives:
                    await author.anchor(life.create())
                # Then each is published with the honest one's proof, and never with the liar's.
                for _ in range(4):
                    anchor = await author.published()
                    hosts = hosts_of(anchor.credential.document)
                    assert set(hosts) == {author.domain.places.host, honest.domain.places.host}
                # And all resolve alike, the liar too.
                for life in lives:
                    known = [await each.resolved(life.suffix) for each in (author, honest, liar)]
                    assert known == [known[0]] * 3

    run(story())


def test_a_witness_that_was_away_for_longer_than_anything_waits_completes_the_anchor(tmp_path: Path) -> None:
    async def story() -> None:
        async with neighbour(tmp_path, "witness") as witness:
            given: Any = {"invite_witness": witness.domain.iris.service}
            async with neighbour(tmp_path, "author", **given) as author:
                await comes_true(lambda: author.members(WITNESSES))
                await witness.follow(author)
                # Given an anchor that needs the proof of somebody who was there a moment ago.
                early, late = Life("early"), Life("late")
                await author.anchor(early.create())
                await author.published()
                await witness.resolved(early.suffix)
                await witness.shut_door()
                await author.anchor(late.create())
                # When offers have ended, and messages were given up.
                store = DeadLetterStore(author.domain.places.database)
                await comes_true(lambda: store.newest(Selection(), 9))
                store.close()
                await asyncio.sleep(1 + HASTY["max_witness_delay"] + HASTY["max_clock_skew"])
                # A busy machine may have told of the early one twice; of the late one nobody has.
                while await author.waiting():
                    await author.published()
                assert await author.maybe_resolved(late.suffix) is None
                # Then it is offered anew as soon as the witness is back.
                await witness.open_door()
                anchor = await author.published()
                assert set(hosts_of(anchor.credential.document)) >= {witness.domain.places.host}
                # And both resolve alike.
                for life in (early, late):
                    assert await witness.resolved(life.suffix) == await author.resolved(life.suffix)

    run(story())


@pytest.mark.parametrize("policy", [None, "OutOf(1,system)"])
def test_a_witness_that_is_away_when_it_is_to_be_chosen_is_waited_for(
    tmp_path: Path, policy: str | None
) -> None:
    async def story() -> None:
        async with neighbour(tmp_path, "witness") as witness:
            given: Any = {"invite_witness": witness.domain.iris.service, "witness_policy": policy}
            async with neighbour(tmp_path, "author", **given) as author:
                # Given a witness that has agreed, and has told the author nothing else before it went.
                await comes_true(lambda: author.members(WITNESSES))
                await witness.shut_door()
                # When something is to be anchored, no batch fails for that, and none goes without a proof.
                life = Life()
                await author.anchor(life.create(origin=author.domain.iris.service))
                await asyncio.sleep(2 * HASTY["anchor_status_in_process_grace_period"])
                assert not await author.waiting()
                # Then it is published with the witness's proof, when that is back.
                await witness.open_door()
                hosts = hosts_of((await author.published()).credential.document)
                assert set(hosts) == {author.domain.places.host, witness.domain.places.host}

    run(story())


def test_a_follower_that_has_missed_an_anchor_hears_of_it_with_the_next(tmp_path: Path) -> None:
    async def story() -> None:
        async with neighbour(tmp_path, "author") as author:
            given: Any = {"follow": author.domain.iris.service}
            async with neighbour(tmp_path, "follower", **given) as follower:
                await comes_true(lambda: author.members(FOLLOWERS))
                # Given a follower that is away until nobody tries to tell it any more.
                await follower.shut_door()
                life = Life()
                await author.anchor(life.create())
                first = await author.published()
                store = DeadLetterStore(author.domain.places.database)
                await comes_true(lambda: store.newest(Selection(), 9))
                store.close()
                # When it is back, and the DID is changed.
                await follower.open_door()
                await author.anchor(life.update())
                await author.published_after(first)
                # Then it is told of both, the missed one first.
                assert (await follower.published()).hash == first.hash
                second = await follower.published_after(first)
                assert second.payload.previous[0].anchor.startswith(f"hl:{first.hash}")
                # And both resolve alike.
                known = await follower.resolved(life.suffix)
                assert known["didDocumentMetadata"]["versionId"] == second.hash
                assert known == await author.resolved(life.suffix)

    run(story())


def test_a_follower_that_was_away_for_longer_than_anybody_tries_finds_what_it_has_missed(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        async with neighbour(tmp_path, "author") as author:
            given: Any = {"follow": author.domain.iris.service, "sync_interval": 0.2}
            async with neighbour(tmp_path, "follower", **given, sync_min_activity_age=0) as follower:
                await comes_true(lambda: author.members(FOLLOWERS))
                told_by = author.domain.iris.service
                await comes_true(lambda: follower.domain.database.do(mark_of, told_by) is not None)
                # Given a follower that nobody tries to tell any more.
                await follower.shut_door()
                await follower.domain.tasks.stop()
                life = Life()
                await author.anchor(life.create(origin=author.domain.iris.service))
                await author.published()
                store = DeadLetterStore(author.domain.places.database)
                await comes_true(lambda: store.newest(Selection(), 9))
                store.close()
                assert await follower.domain.resolver.state_of(life.suffix) is None
                # When it is back, then it reads what the author has told, though nothing more happens there.
                await follower.open_door()
                await follower.domain.tasks.start()
                assert await follower.resolved(life.suffix) == await author.resolved(life.suffix)

    run(story())


def test_an_author_that_goes_when_it_has_told_of_an_anchor_is_asked_again_when_it_is_back(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        async with neighbour(tmp_path, "author") as author:
            given: Any = {"follow": author.domain.iris.service, "sync_interval": 0.5}
            async with neighbour(tmp_path, "follower", **given, sync_min_activity_age=1) as follower:
                await comes_true(lambda: author.members(FOLLOWERS))
                # Given an anchor that a follower has heard of, and whose files it cannot have.
                life = Life()
                await author.anchor(life.create(origin=author.domain.iris.service))
                anchor = await author.published()
                told_by, domain = author.domain.iris.service, author.domain
                name = domain.identity.activity_name("create", anchor.hash)
                await comes_true(lambda: follower.domain.database.do(mark_of, told_by) == name)
                await asked_until(follower.waiting)
                await author.shut_door()
                observing = asyncio.create_task(follower.observe())
                store = DeadLetterStore(follower.domain.places.database)
                await comes_true(lambda: store.newest(Selection(), 9))
                assert "cannot be read now" in store.newest(Selection(), 9)[0].error
                store.close()
                # When the author is back, then both resolve alike, though nothing more happens there.
                await author.open_door()
                known = await asked_until(lambda: follower.maybe_resolved(life.suffix))
                assert known == await author.resolved(life.suffix)
                observing.cancel()
                await asyncio.wait([observing])

    run(story())


def test_clocks_may_be_apart_by_as_much_as_the_domains_allow(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            neighbour(tmp_path, "early", clock=SkewedClock(-0.7), max_clock_skew=20) as early,
            neighbour(tmp_path, "late", clock=SkewedClock(0.7), max_clock_skew=20) as late,
        ):
            services = ",".join(each.domain.iris.service for each in (early, late))
            given: Any = {"invite_witness": services, "max_clock_skew": 20}
            async with neighbour(tmp_path, "author", **given) as author:
                await comes_true(lambda: len(author.members(WITNESSES)) == 2)
                for follower in (early, late):
                    await follower.follow(author)
                life = Life()
                await author.anchor(life.create())
                assert len(hosts_of((await author.published()).credential.document)) == 3
                known = [await each.resolved(life.suffix) for each in (author, early, late)]
                assert known == [known[0]] * 3

    run(story())


def test_who_lives_in_another_time_is_not_believed(tmp_path: Path) -> None:
    async def story() -> None:
        async with neighbour(tmp_path, "author") as author:
            given: Any = {"follow": author.domain.iris.service}
            async with neighbour(tmp_path, "visitor", clock=SkewedClock(3600), **given) as visitor:
                store = DeadLetterStore(visitor.domain.places.database)
                await comes_true(lambda: store.newest(Selection(), 9))
                [letter, *_] = store.newest(Selection(), 9)
                store.close()
                assert "401" in letter.error
                assert author.members(FOLLOWERS) == visitor.members(FOLLOWING) == []

    run(story())
