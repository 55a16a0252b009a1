from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Binding, Exchange, Outgoing, Queue
from penstock.errors import TopologyError
from penstock.messaging.topology import Topology
from penstock.messaging.topology.applying import apply
from penstock.messaging.topology.looking import look
from penstock.messaging.topology.plan import make_plan
from tests.messaging.topology.test_looking import talk

if TYPE_CHECKING:
    from penstock.client import Client
    from penstock.messaging.topology.live import Live
    from penstock.messaging.topology.plan import Plan, Step
    from tests.messaging.topology.conftest import Place

QUORUM: Any = {"x-queue-type": "quorum"}


class Operator:
    """Somebody who looks at a broker, plans, and applies."""

    def __init__(self, client: Client, place: Place, app: str) -> None:
        self.client = client
        self.place = place
        self.app = app

    async def look(self, topology: Topology) -> Live:
        return await look(
            self.client, self.place.url, topology, management=self.place.management, namespace=self.app
        )

    async def plan(self, topology: Topology, *, recreate: bool = False) -> Plan:
        return make_plan(topology, await self.look(topology), namespace=self.app, recreate=recreate)

    async def apply(self, topology: Topology, *, recreate: bool = False) -> list[Step]:
        live = await self.look(topology)
        plan = make_plan(topology, live, namespace=self.app, recreate=recreate)
        return await apply(self.client, topology, live, plan)


def topology(app: str, *keys: str, **queue: Any) -> Topology:
    return Topology(
        exchanges=(Exchange(app, "topic"),),
        queues=(Queue(f"{app}.q", **queue),),
        bindings=tuple(Binding(app, f"{app}.q", key) for key in keys),
    )


def test_what_is_applied_is_there_and_applying_it_again_changes_nothing(place: Place, app: str) -> None:
    wanted = topology(app, "a", "b")

    async def work(client: Client) -> None:
        operator = Operator(client, place, app)
        assert await operator.apply(wanted) == []
        assert (await operator.plan(wanted)).is_in_sync
        assert await operator.apply(wanted) == []

    talk(place, work)


@pytest.mark.parametrize("arguments", [{}, QUORUM])
def test_what_nothing_declares_goes_if_it_is_idle(place: Place, app: str, arguments: Any) -> None:
    before = topology(app, "a", "b", arguments=arguments)
    before += Topology(
        queues=(Queue(f"{app}.old", arguments=arguments), Queue(f"{app}.full", arguments=arguments)),
        bindings=(Binding(app, f"{app}.old", "c"),),
    )
    after = topology(app, "a", arguments=arguments)

    async def work(client: Client) -> None:
        operator = Operator(client, place, app)
        await operator.apply(before)
        await client.publish(Outgoing("", f"{app}.full", b"kept"))
        assert await operator.apply(after) == []
        assert await client.queue_state(f"{app}.old") is None
        kept = await client.get(f"{app}.full")
        assert kept is not None
        assert kept.body == b"kept"
        live = await operator.look(after)
        assert [binding for binding in live.bindings or () if binding.source == app] == list(after.bindings)

    talk(place, work)


@pytest.mark.parametrize("arguments", [{}, QUORUM])
def test_a_queue_that_fills_after_the_plan_was_made_stays(place: Place, app: str, arguments: Any) -> None:
    old = Queue(f"{app}.old", arguments=arguments)

    async def work(client: Client) -> None:
        operator = Operator(client, place, app)
        await client.declare(old)
        live = await operator.look(Topology())
        plan = make_plan(Topology(), live, namespace=app)
        await client.publish(Outgoing("", old.name, b"just in time"))
        (left,) = await apply(client, Topology(), live, plan)
        assert "in use after all" in left.why
        state = await client.queue_state(old.name)
        assert state is not None
        assert state.messages == 1

    talk(place, work)


@pytest.mark.parametrize("arguments", [{}, QUORUM])
def test_conflicts_keep_everything_as_it_is(place: Place, app: str, arguments: Any) -> None:
    before = topology(app, "a", arguments=arguments)
    after = topology(app, "b", arguments=arguments | {"x-max-length": 9})

    async def work(client: Client) -> None:
        operator = Operator(client, place, app)
        await operator.apply(before)
        await client.publish(Outgoing("", f"{app}.q", b"kept"))
        for recreate in (False, True):
            with pytest.raises(
                TopologyError, match=r"x-max-length is not set there and 9 here\. It has 1 mess"
            ):
                await operator.apply(after, recreate=recreate)
        assert (await operator.plan(before)).is_in_sync
        await client.purge(f"{app}.q")
        if place.management is not None:  # its counts are some seconds old
            live = await operator.look(after)
            empty = replace(live.queues[f"{app}.q"], messages=0)
            live = replace(live, queues={**live.queues, empty.name: empty})
            plan = make_plan(after, live, namespace=app, recreate=True)
            assert await apply(client, after, live, plan) == []
        else:
            assert await operator.apply(after, recreate=True) == []
        assert (await operator.plan(after)).is_in_sync

    talk(place, work)


def test_a_queue_that_is_filled_while_it_is_to_be_made_anew_is_kept(place: Place, app: str) -> None:
    before, after = topology(app, "a"), topology(app, "a", arguments={"x-max-length": 9})

    async def work(client: Client) -> None:
        operator = Operator(client, place, app)
        await operator.apply(before)
        live = await operator.look(after)
        plan = make_plan(after, live, namespace=app, recreate=True)
        await client.publish(Outgoing("", f"{app}.q", b"just in time"))
        with pytest.raises(TopologyError, match="not everything could be made anew"):
            await apply(client, after, live, plan)
        found = await client.get(f"{app}.q")
        assert found is not None

    talk(place, work)
