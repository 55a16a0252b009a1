from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from penstock.did.activities.names import FOLLOW, INVITE
from penstock.did.domain import WEB, WORKER, Domain
from penstock.did.domain.relations import acceptance_of, ask_neighbours
from penstock.did.federation import put_witness_policy, witness_policy
from penstock.did.federation.membership import FOLLOWERS, FOLLOWING, WITNESSES, WITNESSING, all_members
from penstock.did.parameters import DidParameters
from tests.did.domain.living import embedded, living
from tests.did.operation_queue.helpers import run
from tests.server.peer import until

if TYPE_CHECKING:
    from pathlib import Path

A = "https://a.example/services/orb"


def test_everybody_is_let_in_unless_there_is_a_list() -> None:
    assert acceptance_of(DidParameters()).accepts(FOLLOW, A)
    listed = DidParameters(
        follow_auth_policy="accept-list",
        follow_accept_list=(A, "https://b.example"),
        invite_witness_auth_policy="accept-list",
    )
    acceptance = acceptance_of(listed)
    assert acceptance.accepts(FOLLOW, A)
    assert acceptance.accepts(FOLLOW, "https://b.example/services/orb")
    assert not acceptance.accepts(FOLLOW, "https://c.example/services/orb")
    assert not acceptance.accepts(INVITE, A)


def members(domain: Domain, collection: str) -> list[str]:
    return domain.database.do(all_members, collection)


def test_neighbours_are_asked_at_the_start_and_not_again_when_they_have_agreed(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker, AsyncExitStack() as opened:
            b = await opened.enter_async_context(living(tmp_path, broker, "b", roles=[WEB, WORKER]))
            asking = {"follow": b.iris.service, "invite_witness": b.iris.base}
            a = await opened.enter_async_context(living(tmp_path, broker, "a", roles=[WEB, WORKER], **asking))
            await until(lambda: members(a, FOLLOWING) and members(a, WITNESSES))
            assert members(b, FOLLOWERS) == members(b, WITNESSING) == [a.iris.service]
            async with Domain(a.places, roles=[], broker=broker) as again:
                await ask_neighbours(again)
                assert await broker.depth("a.activity.outbox") == 0

    run(story())


def test_the_policy_of_the_parameters_gives_way_to_the_operators(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker:
            async with living(tmp_path, broker, roles=[WORKER], witness_policy="OutOf(1,system)") as domain:
                assert domain.database.do(witness_policy) == "OutOf(1,system)"
                domain.database.do(put_witness_policy, "OutOf(2,system)")
            async with living(tmp_path, broker, roles=[WORKER], witness_policy="OutOf(1,system)") as domain:
                assert domain.database.do(witness_policy) == "OutOf(2,system)"

    run(story())
