from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.queues import DomainQueues
from penstock.did.web.wondering import Wondering
from tests.did.federation.helpers import PaperQueues
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from penstock.clock import VirtualClock

QUEUE = "orb.did"


def did(name: str, anchor: str = "uAnchor") -> str:
    life = Life(name)
    life.create()
    return f"did:orb:{anchor}:{life.suffix}"


@pytest.fixture
def broker(clock: VirtualClock) -> PaperQueues:
    return PaperQueues(clock)


def test_a_did_is_wondered_about_now_and_then(broker: PaperQueues, clock: VirtualClock) -> None:
    wondering = Wondering(broker, DomainQueues())
    for name in ("alice", "bob", "alice"):
        run(wondering(did(name)))
    assert [message.body.decode() for message in broker.written(QUEUE)] == [
        f'"{did("alice")}"',
        f'"{did("bob")}"',
    ]
    clock.advance(60)
    run(wondering(did("alice")))
    assert len(broker.written(QUEUE)) == 1


def test_only_so_many_are_wondered_about_in_a_while(broker: PaperQueues, clock: VirtualClock) -> None:
    wondering = Wondering(broker, DomainQueues(), most=2)
    for name in ("alice", "bob", "carol", "alice"):
        run(wondering(did(name)))
    assert len(broker.written(QUEUE)) == 2
    clock.advance(60)
    run(wondering(did("carol")))
    assert [message.body.decode() for message in broker.written(QUEUE)] == [f'"{did("carol")}"']


def test_a_did_that_is_not_anchored_is_nowhere_to_be_found(broker: PaperQueues) -> None:
    run(Wondering(broker, DomainQueues())(did("alice", "uAAA")))
    assert broker.written(QUEUE) == []


def test_a_broker_that_is_away_is_no_trouble_of_who_asks(broker: PaperQueues) -> None:
    wondering = Wondering(broker, DomainQueues())
    broker.is_connected = False
    run(wondering(did("alice")))
    broker.is_connected = True
    run(wondering(did("alice")))
    assert len(broker.written(QUEUE)) == 1
