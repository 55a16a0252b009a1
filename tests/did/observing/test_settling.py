from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from sqlalchemy import insert

from penstock.did.anchoring import AnchorInfo, known_links
from penstock.did.anchoring.links import put_pending, put_told
from penstock.did.batches.progress import batches_in_progress
from penstock.did.cas import HashLink
from penstock.did.domain import Domain
from penstock.did.observing import Outcome, Seen, Settling, Taken
from penstock.did.observing.storing import untold
from penstock.did.observing.taken import COLUMNS, Settled
from penstock.did.operation_queue.tables import cuts
from penstock.errors import (
    BadAnchor,
    BadDid,
    ContentNotFound,
    DidError,
    InvalidMessage,
    NotConnected,
    PublishLost,
    StoreError,
    Unavailable,
)
from penstock.messaging import headers as names
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryPolicy
from penstock.messaging.redelivery.decision import COUNT
from tests.did.domain.helpers import places_in
from tests.did.domain.living import embedded
from tests.did.operation_queue.helpers import run
from tests.server.peer import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from penstock.errors import PenstockError
    from penstock.messaging.port import Broker

LINK = HashLink.of(b"an anchor", ["https://a.example/x"])
PARENT = HashLink.of(b"its parent", ["https://a.example/x"])
TELLER, AUTHOR = "https://b.example/services/orb", "https://a.example/services/orb"


@asynccontextmanager
async def settling(folder: Path, **given: Any) -> AsyncIterator[tuple[Settling, Domain, Broker]]:
    async with embedded() as broker, Domain(places_in(folder, **given), broker=broker) as domain:
        yield Settling(domain, "anchor"), domain, broker


def taken(**columns: Any) -> Taken:
    row = dict.fromkeys(COLUMNS) | {"position": 1, "body": b"{}", "message_id": "m1"}
    return Taken("orb.anchor", row | {"exchange": "orb", "routing_key": "orb.anchor"} | columns)


def seen(**more: Any) -> Outcome:
    info = AnchorInfo(hash_link=str(LINK), attributed_to=TELLER)
    return Outcome(seen=[Seen(info=info, author=AUTHOR, copy=str(LINK), **more)])


def _put_batch(connection: Connection) -> None:
    """The batch that the anchor is of."""
    told = {
        "task": "me",
        "state": "acked",
        "version": 0,
        "made_at": 1.0,
        "operations": "[]",
        "left_out": "{}",
    }
    connection.execute(insert(cuts).values(**told, anchor="hl:x", linkset=LINK.hash))


async def bodies(broker: Broker, queue: str) -> list[Any]:
    found = []
    while (received := await broker.fetch(queue)) is not None:
        found.append(msgspec.json.decode(received.body))
        received.ack()
    return found


def test_teller_and_author_are_told_that_it_is_observed(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, _, broker):
            message = taken()
            await desk.settle([(message, seen())])
            (like,) = [each["activity"] for each in await bodies(broker, "orb.activity.outbox")]
            assert (like["type"], like["to"][:2]) == ("Like", [TELLER, AUTHOR])
            assert message.settled is Settled.DONE
            # Once more after a crash it is the same activity.
            await desk.settle([(taken(), seen(is_known=True))])
            (again,) = [each["activity"] for each in await bodies(broker, "orb.activity.outbox")]
            assert again["id"] == like["id"]

    run(story())


def test_anchors_before_it_that_nobody_has_told_of_are_asked_for_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, domain, broker):
            await desk.settle([(taken(), seen(unknown=[str(PARENT)])) for _ in range(2)])
            await desk.settle([(taken(), seen(unknown=[str(PARENT)]))])
            (asked,) = await bodies(broker, "orb.anchor")
            assert asked == {"hashLink": str(PARENT), "attributedTo": TELLER}
            assert await domain.database.run(known_links, [PARENT.hash]) == {PARENT.hash: "told"}

    run(story())


def test_they_are_asked_for_though_whoever_was_to_do_it_died(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, domain, broker):
            # Given an anchor that was stored, and a parent that was noted and not asked for.
            await domain.database.run(put_pending, PARENT, 1.0)
            await desk.settle([(taken(), seen(is_known=True, unknown=[str(PARENT)]))])
            assert len(await bodies(broker, "orb.anchor")) == 1

    run(story())


def test_whoever_wonders_about_a_did_does_not_ask_for_more(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (_, domain, broker):
            await Settling(domain, "did").settle([(taken(), seen(unknown=[str(PARENT)]))])
            assert await broker.depth("orb.anchor") == 0

    run(story())


LAST_TRY = msgspec.json.encode({COUNT: "20"}).decode()


@pytest.mark.parametrize(
    ("error", "headers", "went_to"),
    [
        (ContentNotFound("somebody has made it up"), None, ""),
        (BadDid("no DID"), None, ""),
        (Unavailable("its domain is away"), None, "orb.redelivery"),
        (Unavailable("its domain is away"), LAST_TRY, ""),
        # These are nobody's questions.
        (InvalidMessage("no JSON"), None, "orb.dead-letters"),
        (DidError("the observer itself has failed"), LAST_TRY, "orb.redelivery"),
    ],
)
def test_a_question_that_cannot_be_answered_is_no_dead_letter(
    tmp_path: Path, error: PenstockError, headers: str | None, went_to: str
) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (_, domain, broker):
            message = taken(headers=headers)
            await Settling(domain, "did").settle([(message, Outcome(error=error))])
            assert message.settled is (Settled.REJECTED if went_to == "orb.redelivery" else Settled.DONE)
            depths = {queue: await broker.depth(queue) for queue in ("orb.redelivery", "orb.dead-letters")}
            assert depths == {queue: int(queue == went_to) for queue in depths}

    run(story())


def test_a_database_that_is_away_for_all_is_no_anchors_fault(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, domain, broker):
            failed = Outcome(error=StoreError("it does not answer"), failed=LINK.hash)
            await desk.settle([(taken(), failed)])
            assert await broker.depth("orb.redelivery") == 1
            drop = "DROP TABLE penstock_anchor_links"
            await domain.database.run(lambda connection: connection.exec_driver_sql(drop))
            with pytest.raises(StoreError):
                await desk.settle([(taken(), failed)])
            assert await broker.depth("orb.redelivery") == 1

    run(story())


def test_what_never_will_be_is_a_dead_letter_and_forgotten(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, domain, broker):
            await domain.database.run(put_pending, LINK, 1.0)
            await domain.database.run(_put_batch)
            error = BadAnchor("item", "it is about nothing")
            await desk.settle([(taken(), Outcome(error=error, failed=LINK.hash))])
            dead = await broker.fetch("orb.dead-letters")
            assert dead is not None
            assert dead.message.headers[names.ERROR] == "it is about nothing"
            assert dead.message.id == "m1"
            dead.ack()
            assert await domain.database.run(known_links, [LINK.hash]) == {}
            # Who looks at the batch is told why.
            (batch,) = await domain.database.run(batches_in_progress, 9)
            assert batch.trouble == "it is about nothing"
            assert desk.counters.dead == 1

    run(story())


def test_what_strangers_have_an_error_say_keeps_no_batch_from_being_settled(
    tmp_path: Path, database_url: str
) -> None:
    async def story() -> None:
        places = replace(places_in(tmp_path), database=database_url)
        async with embedded() as broker, Domain(places, broker=broker) as domain:
            await domain.database.run(_put_batch)
            # A link of theirs.
            error = ContentNotFound("http://a.example/\0 may not be asked")
            message = taken()
            await Settling(domain, "anchor").settle([(message, Outcome(error=error, failed=LINK.hash))])
            assert message.settled is Settled.DONE
            (batch,) = await domain.database.run(batches_in_progress, 9)
            assert batch.trouble == "http://a.example/\\0 may not be asked"

    run(story())


def test_what_may_be_comes_again_and_is_a_dead_letter_with_its_reason_in_the_end(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, domain, broker):
            policy = RedeliveryPolicy(max_attempts=2, initial_interval=0.01, max_interval=0.01)
            handler = RedeliveryHandler(policy, names=domain.queues)
            await handler.start(broker)
            message, counts = taken(), list[str]()
            # Whatever comes back is rejected again.
            while True:
                outcome = Outcome(error=Unavailable("the author is away"), failed=LINK.hash)
                await desk.settle([(message, outcome)])
                await until(lambda: handler.counts["Redeliver"] + handler.counts["Abort"] > len(counts))
                received = await broker.fetch("orb.anchor")
                if received is None:
                    break
                received.ack()
                counts.append(received.message.headers["orb-redelivery-count"])
                message = taken(headers=msgspec.json.encode(dict(received.message.headers)).decode())
            assert counts == ["1", "2"]
            dead = await broker.fetch("orb.dead-letters")
            assert dead is not None
            assert dead.message.headers[names.REASON] == "redelivery aborted after 2 attempts"
            assert dead.message.headers[names.ERROR] == "the author is away"
            dead.ack()
            await handler.stop()

    run(story())


def test_an_anchor_that_was_tried_in_vain_is_asked_for_when_another_builds_on_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with settling(tmp_path) as (desk, domain, _):
            await domain.database.run(put_pending, LINK, 1.0)
            await domain.database.run(put_told, LINK.hash, 1.0)
            away = Outcome(error=Unavailable("its author is away"), failed=LINK.hash)
            # While it is tried, it is not asked for.
            await desk.settle([(taken(), away)])
            assert await domain.database.run(known_links, [LINK.hash]) == {LINK.hash: "told"}
            await desk.settle([(taken(headers=LAST_TRY), away)])
            assert await domain.database.run(known_links, [LINK.hash]) == {LINK.hash: "pending"}
            assert await domain.database.run(untold, [str(LINK)]) == [str(LINK)]

    run(story())


def test_a_consumer_that_sees_to_it_itself_retries_after_a_while(tmp_path: Path) -> None:
    async def story() -> None:
        given = {"mq_redelivery": "consumer", "mq_redelivery_initial_interval": "10ms"}
        async with settling(tmp_path, **given) as (desk, _, broker):
            await desk.settle([(taken(), Outcome(error=Unavailable("away"), failed=LINK.hash))])
            assert desk.counters.retried == 1
            await until_ready(broker)

    async def until_ready(broker: Broker) -> None:
        received = None
        while received is None:
            received = await broker.fetch("orb.anchor")
        assert received.message.attempts == 1
        received.ack()

    run(story())


def test_if_nobody_can_be_told_the_batch_comes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.messaging.subscriptions.failing.WAITS", ())

    async def story() -> None:
        async with settling(tmp_path) as (desk, _, broker):

            async def lost(*_: Any, **__: Any) -> None:
                raise PublishLost("the broker is away")

            monkeypatch.setattr(broker, "publish", lost)
            for error in (BadAnchor("item", "x"), Unavailable("x")):
                with pytest.raises((Unavailable, PublishLost, NotConnected)):
                    await desk.settle([(taken(), Outcome(error=error))])

    run(story())
