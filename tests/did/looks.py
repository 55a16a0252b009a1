"""Looks at a domain, by each of which some parameters can be told: what it says differs if they do."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from penstock.cli.did_up import Up
from penstock.clock import VirtualClock
from penstock.did.anchoring.tables import anchors
from penstock.did.domain import WEB, WORKER, WRITER, Domain
from penstock.did.domain.folder import DataFolder
from penstock.did.domain.founding import found
from penstock.did.domain.parts import open_cas, open_fetcher
from penstock.did.domain.relations import acceptance_of, ask_neighbours, keep_policy
from penstock.did.federation import witness_policy
from penstock.did.operation_queue.operation import message_of
from penstock.did.operation_queue.tables import cuts
from penstock.did.operations import add_operations
from penstock.did.parameters import PARAMETERS, DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import DidError
from penstock.messaging.message import Destination
from penstock.messaging.redelivery import RedeliveryPolicy
from penstock.pipelines.did.observing.executing import opened
from penstock.pipelines.did.observing.pipeline import _pipeline
from tests.did.anchoring.helpers import NOW, A, B, created, new_domain, run
from tests.did.domain.helpers import places_in
from tests.did.domain.living import ask, embedded, living
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import rows
from tests.server.peer import until
from tests.sidetree.lives import Life, anchored

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator
    from pathlib import Path

    from penstock.did.domain import Places
    from penstock.did.operation_queue import Posted

BROKER = "amqp://127.0.0.1:1/"
#: Those that domains have if nobody says otherwise are below.
TOLD_PORTS = 18_000


def _places(told: DidParameters, folder: Path, base: str = "http://127.0.0.1:8326") -> Places:
    return replace(places_in(folder, base=base), parameters=told)


# At what the parameters are handed on as


def client(told: DidParameters, _: Path) -> object:
    return told.client


def redelivery(told: DidParameters, _: Path) -> object:
    return RedeliveryPolicy.from_settings(told), type(told.retry)


def reposting(told: DidParameters, _: Path) -> object:
    return told.reposting


def topology(told: DidParameters, _: Path) -> object:
    return DomainQueues().topology(told.queue_arguments)


def acceptance(told: DidParameters, _: Path) -> object:
    return acceptance_of(told)


def protocols(told: DidParameters, folder: Path) -> object:
    return _places(told, folder).method.protocols.current()


def taken_patches(told: DidParameters, folder: Path) -> object:
    return _places(told, folder).intake_method.protocols.current().patches


# At the places that a domain is founded in


def founded(told: DidParameters, folder: Path) -> object:
    with ExitStack() as opened:
        [domain] = found(1, told, DataFolder(folder / "up"), broker=BROKER)
        opened.callback(domain.bound.close)
        places, port = domain.places, domain.bound.getsockname()[1]
        # Whichever port is free, and wherever the test keeps its files.
        seen = f"{places.base} {places.database} {places.storage} {places.key} {port}"
        return seen.replace(str(folder), "").replace(str(port), "" if port < TOLD_PORTS else "told")


def own_broker(told: DidParameters, folder: Path) -> object:
    """Whether there is one, and where it keeps its queues."""
    with ExitStack() as opened:
        up = Up(DataFolder(folder / "up"), master="")
        up.founded(1, told, opened)
        return bool(up._address), up._kept_in.replace(str(folder), "")


def contents(told: DidParameters, folder: Path) -> object:
    """How content is named, and where it is looked for."""
    cas = open_cas(_places(told, folder))
    assert cas._remote is not None
    return cas.put(b"a file").links, cas._remote.ipfs_gateway


def fetching(told: DidParameters, folder: Path) -> object:
    return open_fetcher(_places(told, folder, "https://orb.example")).may_ask("http://b.example/")


def observer(told: DidParameters, folder: Path) -> object:
    desk: Any = None
    return _pipeline(_places(told, folder), "anchor", desk, None).source


def trusted(told: DidParameters, folder: Path) -> object:
    parts = opened(_places(told, folder).to_json())
    return parts.observer._unchecked, parts.auditor._unchecked


# At anchors, on paper


def offered(told: DidParameters, _: Path) -> object:
    """What is written down of an anchor that needs a witness."""
    with new_domain(A, clock=VirtualClock(NOW), parameters=told) as author:
        author.neighbours.invited = [B.service]
        record = author.record(run(author.write()))
        assert record is not None
        assert record.linkset is not None
        return record.ends_at, record.check_at, b"data:application/gzip" in record.linkset


def witnessed_late(told: DidParameters, _: Path) -> object:
    """Whether a proof counts that was made half a minute after the end of its offer."""
    clock = VirtualClock(NOW)
    with new_domain(A, clock=clock, parameters=told) as author, new_domain(B, clock=clock) as witness:
        author.neighbours.invited = [B.service]
        anchor = run(author.write())
        clock.advance(told.max_witness_delay + 30)
        with suppress(DidError):
            (offer,) = author.post.told("Offer")
            run(author.anchoring.proofs.handle(run(witness.answer(offer, author))))
        return author.status(anchor)


def completed(told: DidParameters, _: Path) -> object:
    """How long a completed anchor is kept."""
    with new_domain(A, clock=VirtualClock(NOW), parameters=told) as author:
        run(author.write())
        return author.database.do(lambda connection: connection.execute(anchors.select()).one().expires_at)


def overdue(told: DidParameters, _: Path) -> object:
    """How many of three overdue anchors a run of the monitor completes."""
    with new_domain(A, clock=VirtualClock(NOW), parameters=told) as author:
        author.queues.is_away = True
        for number in range(3):
            run(author.write(created(number)))
        author.queues.is_away = False
        author.clock.advance(60)
        return run(author.anchoring.monitor.run())


def acked(told: DidParameters, _: Path) -> object:
    """Until when a batch is remembered that was acked."""
    with new_domain(A, clock=VirtualClock(NOW), parameters=told) as author:

        async def story() -> object:
            cut = await author.cut(created(1))
            await author.anchoring.writer.write(cut)
            await cut.ack()
            return rows(author.database, "expires_at", table=cuts)

        return run(story())


# At a domain that is open


def queued(told: DidParameters, folder: Path) -> object:
    """How long the entry of an operation is kept."""

    async def look(domain: Domain) -> object:
        [(added_at, expires_at)] = rows(domain.database, "added_at", "expires_at")
        return round(expires_at - added_at)

    return run(_with_waiting(told, folder, [posted(1)], look))


def cut(told: DidParameters, folder: Path) -> object:
    """How many operations batches have, of some that were blamed before and some that were not."""

    async def look(domain: Domain) -> object:
        batches = [await domain.operation_queue.remove(9) for _ in range(2)]
        return [len(each.operations) for each in batches if each is not None]

    waiting = [posted(number, has_error=number > 2) for number in range(1, 5)]
    return run(_with_waiting(told, folder, waiting, look))


async def _with_waiting(
    told: DidParameters, folder: Path, waiting: list[Posted], look: Callable[[Domain], Awaitable[object]]
) -> object:
    async with (
        embedded() as broker,
        Domain(_places(told, folder), roles=[WRITER], broker=broker) as domain,
    ):
        for each in waiting:
            await broker.publish(message_of(each), Destination.queue(domain.queues.operation))
        await until(lambda: len(domain.operation_queue) == len(waiting))
        return await look(domain)


def resolved_early(told: DidParameters, folder: Path) -> object:
    """Whether a DID is known that is created and not anchored."""
    life = Life()

    async def story() -> object:
        async with embedded() as broker, living(folder, broker, roles=[WEB], **_given(told)) as domain:
            await ask(domain, "POST", "/sidetree/v1/operations", life.create())
            return await domain.resolver.state_of(life.suffix) is not None

    return run(story())


def told_operations(told: DidParameters, folder: Path) -> object:
    """What is told of the operations of a DID that is anchored, and of one that is just created."""
    life, young = Life(), Life("young")

    async def story() -> object:
        async with embedded() as broker, living(folder, broker, roles=[WEB], **_given(told)) as domain:
            await domain.database.run(add_operations, [anchored(life.create(), life.suffix, 10)])
            found = await domain.resolver.resolve(f"did:orb:uAAA:{life.suffix}")
            _, created = await ask(domain, "POST", "/sidetree/v1/operations", young.create())
            methods = [each["didDocumentMetadata"]["method"] for each in (found, json.loads(created))]
            return [sorted(name for name in each if name.endswith("Operations")) for each in methods]

    return run(story())


def _given(told: DidParameters) -> dict[str, Any]:
    return {name: getattr(told, name) for name in PARAMETERS}


def told_others(told: DidParameters, folder: Path) -> object:
    """What others are asked at the start, and the policy."""

    async def story() -> object:
        async with embedded() as broker, Domain(_places(told, folder), broker=broker) as domain:
            await keep_policy(domain)
            await ask_neighbours(domain)
            depth = await broker.depth(domain.queues.named("activity.outbox"))
            return depth, await domain.database.run(witness_policy)

    return run(story())


def running(told: DidParameters, folder: Path) -> object:
    """Which of the values that nothing else has are in parts of a domain that runs."""

    async def story() -> object:
        async with embedded() as broker:
            domain = Domain(_places(told, folder), roles=[WEB, WORKER, WRITER], broker=broker)
            async with domain:
                linksets = domain.anchoring.linksets.consumer(told, domain.queues)
                made = _made_with([domain, domain.site, linksets], set())
                return sorted(each for each in RARE if each in made)

    return run(story())


#: Values that no domain has unless it is told so.
RARE = ("321", "t0ken", "rare.example", "deactivate")


def _made_with(things: Iterable[object], seen: set[int]) -> set[str]:
    """Numbers and texts in parts of parts; what holds all parameters shows nothing."""
    found: set[str] = set()
    for each in things:
        if isinstance(each, bytes):
            found.add(each.decode("latin-1"))
        elif isinstance(each, int | float | str):
            found.add(str(each).removesuffix(".0"))
        elif id(each) not in seen and not isinstance(each, DidParameters):
            seen.add(id(each))
            found |= _made_with(_inside(each), seen)
    return found


def _inside(thing: Any) -> Iterator[object]:
    """What a part has: its members, what its methods and functions hold on to."""
    if isinstance(thing, Mapping):
        yield from thing.values()
    elif isinstance(thing, Collection):
        yield from thing
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, MethodType):
        yield thing.__self__
    elif isinstance(thing, FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
    elif type(thing).__module__.split(".")[0] in {"penstock", "starlette", "contextlib"}:
        slots = (name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ()))
        yield from getattr(thing, "__dict__", {}).values()
        yield from (getattr(thing, name) for name in slots if hasattr(thing, name))
