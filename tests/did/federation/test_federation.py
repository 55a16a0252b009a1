"""Two domains, each with its own HTTP server, key, database and queues, come to know each other."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC, Request, follow, invite, like, sign_request, undo
from penstock.did.credentials import SigningKey
from penstock.did.federation import Acceptance
from penstock.did.federation.archive import INBOX, OUTBOX, count_type, find_activity
from penstock.did.federation.membership import (
    FOLLOWERS,
    FOLLOWING,
    LIKES,
    WITNESSES,
    WITNESSING,
    count_members,
)
from penstock.errors import BadActivity, StoreError
from penstock.messaging.embedded import EmbeddedBroker
from penstock.sidetree.canonical import canonical
from tests.did.federation.helpers import EVENT
from tests.did.operation_queue.helpers import run
from tests.did.web.domain import PARAMETERS, Domain
from tests.server.peer import until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from penstock.did.activities import Activity

    Story = Callable[[Domain, Domain], Awaitable[None]]


@pytest.fixture
def tell(tmp_path: Path) -> Callable[..., None]:
    """Tell a story of two domains, the second of which may be choosy."""

    def telling(story: Story, acceptance: Acceptance | None = None) -> None:
        async def told() -> None:
            broker = await EmbeddedBroker.start()
            try:
                async with (
                    Domain("one", broker, tmp_path) as one,
                    Domain("two", broker, tmp_path, acceptance=acceptance) as two,
                ):
                    await story(one, two)
            finally:
                await broker.close()

        run(told())

    return telling


def test_domains_follow_and_witness_each_other_until_they_do_no_more(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        for here, there in ((one, two), (two, one)):
            await here.federation.follow(there.iris.service)
        invitation = await one.federation.invite(two.iris.service)
        await until(lambda: one.members(FOLLOWING) and two.members(FOLLOWING) and one.members(WITNESSES))
        assert (
            one.members(FOLLOWING) == one.members(FOLLOWERS) == one.members(WITNESSES) == [two.iris.service]
        )
        assert two.members(FOLLOWING) == two.members(WITNESSING) == [one.iris.service]
        await one.federation.undo(invitation)
        await until(lambda: not two.members(WITNESSING))
        assert one.members(WITNESSES) == []

    tell(story)


def test_while_a_domains_own_database_is_away_no_activity_uses_up_its_tries(
    tell: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(one: Domain, two: Domain) -> None:
        def away(*_: Any, **__: Any) -> Any:
            raise StoreError("away")

        for verb in ("do", "read"):
            monkeypatch.setattr(two.database, verb, away)
        # More than it takes to see that it is no activity's fault, both of others and of its own.
        await asyncio.gather(*(one.federation.follow(two.iris.service) for _ in range(20)))
        await asyncio.gather(*(two.federation.follow(one.iris.service) for _ in range(20)))
        outbox, inbox = two.federation.subscriptions
        await until(lambda: outbox.counters.redelivered and inbox.counters.redelivered)
        for each in (outbox, inbox):
            assert each.counters.rejected < 20
            await asyncio.sleep(2 * PARAMETERS.mq_redelivery_max_interval)
            assert each.state in {"paused", "probing"}
        monkeypatch.undo()
        await until(lambda: one.members(FOLLOWERS) and two.members(FOLLOWERS))
        assert await two.broker.depth(two.queues.dead_letters) == 0

    tell(story)


def test_who_is_not_listed_is_rejected(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        await one.federation.follow(two.iris.service)
        await until(lambda: one.database.do(count_type, INBOX, "Reject"))
        assert one.members(FOLLOWING) == two.members(FOLLOWERS) == []

    tell(story, Acceptance(followers=frozenset()))


def test_an_operator_asks_by_activities_too(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        def post(activity: dict[str, Any]) -> tuple[int, Any]:
            headers = {"Authorization": "Bearer s3cret"}
            status, body = one.ask("POST", "/services/orb/outbox", canonical(activity), headers)
            return status, json.loads(body)

        asking: list[tuple[Callable[..., dict[str, Any]], str, str]] = [
            (follow, FOLLOWING, FOLLOWERS),
            (invite, WITNESSES, WITNESSING),
        ]
        for ask, here, there in asking:
            # Given the same activity twice, by a script that was not sure.
            name = one.iris.new_activity()
            asked = ask(name=name, actor=one.iris.service, target=two.iris.service)
            for _ in range(2):
                assert await asyncio.to_thread(post, asked) == (200, name)
            await until(partial(one.members, here))
            assert two.members(there) == [one.iris.service]
            # When it is undone as Orb's command line does it, without a name.
            taken_back = undo(name=name, actor=one.iris.service, undone=asked)
            del taken_back["id"]
            status, undone = await asyncio.to_thread(post, taken_back)
            # Then it is, on both sides.
            assert (status, undone.startswith(one.iris.activity(""))) == (200, True)
            await until(lambda: not two.members(FOLLOWERS) and not two.members(WITNESSING))
            assert one.members(here) == []
        unknown = undo(name="x", actor=one.iris.service, undone=asked | {"id": one.iris.activity("never")})
        status, told = await asyncio.to_thread(post, unknown)
        assert (status, told["rule"]) == (400, "unknown")

    tell(story)


def test_who_is_put_on_the_list_is_accepted_from_then_on(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        headers = {"Authorization": "Bearer s3cret"}
        change = canonical([{"type": "follow", "add": [one.iris.service]}])
        status, _ = await asyncio.to_thread(two.ask, "POST", "/services/orb/acceptlist", change, headers)
        assert status == 200
        await one.federation.follow(two.iris.service)
        await until(lambda: one.members(FOLLOWING))
        assert two.members(FOLLOWERS) == [one.iris.service]

    tell(story, Acceptance(followers=frozenset()))


def test_followers_are_told_and_other_parts_hear_it(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        heard: list[str] = []

        async def hears(told: Activity) -> None:
            heard.append(told.name)

        two.federation.handlers.on_like(hears)
        await two.federation.follow(one.iris.service)
        await until(lambda: one.members(FOLLOWERS))
        to = [one.iris.collection(FOLLOWERS), PUBLIC]
        name = one.iris.new_activity()
        for _ in range(2):
            told = like(name=name, actor=one.iris.service, to=to, liked=EVENT, at=1.0)
            await one.federation.outbox.post(told)
        await until(lambda: heard)
        await until(lambda: two.database.do(count_members, LIKES, subject=None))
        status, body = await asyncio.to_thread(one.ask, "GET", name.removeprefix(one.iris.base))
        assert (status, json.loads(body)["id"]) == (200, name)

    tell(story)


def test_a_domain_that_is_away_is_told_when_it_is_back(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        fails = 2
        real = two.federation.inbox.admit

        async def admit(request: Any) -> None:
            nonlocal fails
            if fails:
                fails -= 1
                raise ConnectionError("away")
            await real(request)

        two.federation.inbox.admit = admit  # type: ignore[method-assign]
        await one.federation.follow(two.iris.service)
        await until(lambda: one.members(FOLLOWING))
        assert fails == 0

    tell(story)


def test_what_is_refused_is_a_dead_letter_with_its_reason(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        # A service that is not there, at a domain that is.
        await one.federation.follow(f"{two.iris.base}/services/nobody")
        dead: list[Any] = []
        while not any(dead):
            dead.append(await one.broker.fetch(one.queues.dead_letters))
        assert "404" in str(dict(dead[-1].message.headers))
        dead[-1].ack()

    tell(story)


def test_nobody_follows_in_anothers_name(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        body = canonical(follow(name="x", actor=one.iris.service, target=two.iris.service))
        request = Request(method="POST", target="/services/orb/inbox", body=body)
        for key_id, rule in ((one.iris.key, "signature"), (f"{one.iris.base}/nowhere", "key")):
            now = one.broker.clock.now()
            signed = sign_request(request, SigningKey.generate(), key_id=key_id, now=now)
            status, told = await asyncio.to_thread(two.ask, "POST", request.target, body, signed)
            assert (status, json.loads(told)["rule"]) == (401, rule)
        assert two.members(FOLLOWERS) == []

    tell(story)


def test_only_what_was_asked_can_be_taken_back(tell: Callable[..., None]) -> None:
    async def story(one: Domain, two: Domain) -> None:
        with pytest.raises(BadActivity):
            await one.federation.undo(one.iris.activity("never"))
        assert one.database.do(find_activity, OUTBOX, one.iris.service, one.iris.activity("never")) is None

    tell(story)
