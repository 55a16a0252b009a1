"""An operation's way through two real domains: posted, cut, anchored with a witness, told to a follower."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from penstock.did.anchoring import ANCHORING, Anchoring, Identity, recorded_files
from penstock.did.anchoring.broker_queues import BrokerQueues
from penstock.did.anchoring.credential_store import read_credential
from penstock.did.anchors import Anchor
from penstock.did.credentials import FetchedKeys, did_web, proofs_of
from penstock.did.federation import Neighbours, WitnessPolicies, put_witness_policy
from penstock.did.federation.membership import FOLLOWERS, WITNESSES
from penstock.messaging.embedded import EmbeddedBroker
from penstock.messaging.message import Destination
from penstock.messaging.subscriptions import Subscription
from tests.did.operation_queue.helpers import run
from tests.did.web.domain import PARAMETERS, Domain
from tests.server.peer import until
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self


class AnchoringDomain(Domain):
    """A domain that anchors and witnesses, too."""

    def __init__(self, name: str, broker: Any, folder: Path) -> None:
        super().__init__(name, broker, folder)
        self.database.create(ANCHORING)
        host = urlsplit(self.iris.base).netloc
        self.anchoring = Anchoring(
            Identity(
                service=self.iris.service, base=self.iris.base, key=self.key, method=f"{did_web(host)}#main"
            ),
            self.database,
            cas=self.cas,
            keys=FetchedKeys(self.fetcher.fetch, broker.clock, scheme="http"),
            services=self.peers,
            neighbours=Neighbours(self.database),
            policies=WitnessPolicies(self.database, clock=broker.clock, kept_for=0.0),
            post=self.federation.outbox,
            queues=BrokerQueues(broker, self.queues),
            parameters=PARAMETERS,
            clock=broker.clock,
        )
        self.anchoring.register(self.federation.handlers)

    async def credential(self, name: str) -> bytes | None:
        return await self.database.run(read_credential, name)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        subscription = Subscription(
            self.anchoring.linksets.consumer(PARAMETERS, self.queues),
            self.broker,
            dead_letters=Destination.queue(self.queues.dead_letters),
        )
        self.opened.push_async_callback(subscription.stop, 5.0)
        await subscription.start()
        return self

    async def observed(self) -> Any:
        """What the observer is told next."""
        queue = self.queues.named("anchor")
        while (received := await self.broker.fetch(queue)) is None:  # noqa: ASYNC110  it is another's doing
            await asyncio.sleep(0.01)
        received.ack()
        return json.loads(received.body)


async def anchored(domain: AnchoringDomain, life: Life) -> str:
    """Post a create over HTTP, and anchor it as the batch writer would."""
    status, _ = await asyncio.to_thread(domain.ask, "POST", "/sidetree/v1/operations", life.create())
    assert status == 200
    await until(lambda: len(domain.queue))
    cut = await domain.queue.cut(force=True)
    assert cut is not None
    await cut.record_files(recorded_files(str(domain.cas.put(b"a core index file"))))
    name = await domain.anchoring.writer.write(cut)
    await cut.ack()
    return name


def test_an_operation_is_anchored_with_a_witness_and_told_to_a_follower(tmp_path: Path) -> None:
    async def story(author: AnchoringDomain, other: AnchoringDomain) -> None:
        author.database.do(put_witness_policy, "OutOf(1,system)")
        await author.federation.invite(other.iris.service)
        await other.federation.follow(author.iris.service)
        await until(lambda: author.members(WITNESSES) and author.members(FOLLOWERS))

        life = Life()
        name = await anchored(author, life)

        # Both observers are told of the same anchor, with the proofs of both domains.
        mine, theirs = await author.observed(), await other.observed()
        anchor = Anchor.parse(other.cas.get(theirs["hashLink"]))
        assert anchor.uri == name
        assert author.cas.get(mine["hashLink"]) == anchor.content
        assert len(proofs_of(anchor.credential.document)) == 2
        assert [each.suffix for each in anchor.payload.previous] == [life.suffix]
        # And anybody can have the credential, and the file from where it was not written.
        path = urlsplit(anchor.credential.name).path
        status, body = await asyncio.to_thread(author.ask, "GET", path)
        assert (status, json.loads(body)["id"]) == (200, anchor.credential.name)
        read = await asyncio.to_thread(other.cas.get, anchor.payload.core_index)
        assert read == b"a core index file"

    async def told() -> None:
        broker = await EmbeddedBroker.start()
        try:
            async with (
                AnchoringDomain("one", broker, tmp_path) as author,
                AnchoringDomain("two", broker, tmp_path) as other,
            ):
                await story(author, other)
        finally:
            await broker.close()

    run(told())
