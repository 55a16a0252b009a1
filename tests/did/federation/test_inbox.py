from __future__ import annotations

import asyncio
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import Request, follow
from penstock.did.federation import inbox as module
from penstock.did.federation.archive import INBOX, find_activity, is_handled
from penstock.did.federation.handlers import Handlers
from penstock.did.federation.inbox import Inbox
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import (
    BadActivity,
    BadHttpSignature,
    InvalidMessage,
    NotConnected,
    StoreError,
    Unavailable,
)
from penstock.sidetree.canonical import canonical
from tests.did.federation.helpers import INBOX_QUEUE, A, B, PaperQueues, told
from tests.did.operation_queue.helpers import Bodied, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.did.activities import Activity
    from penstock.did.database import DomainDatabase

FOLLOW = follow(name=B.activity("1"), actor=B.service, target=A.service)


class PaperSigners:
    """Says who has signed."""

    signer: str | Exception = B.service
    #: Those whose keys are here already; others answer when they may.
    known: tuple[bytes, ...] = ()

    def __init__(self) -> None:
        self.may_answer = Event()
        self.may_answer.set()

    def knows_signer_of(self, request: Request) -> bool:
        return request.body in self.known

    def signer_of(self, request: Request, *, skew: float) -> str:
        if isinstance(self.signer, Exception):
            raise self.signer
        if not self.knows_signer_of(request):
            assert self.may_answer.wait(30)
        return self.signer


class Hearing:
    """A handler that may fail."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.error: Exception | None = None

    async def __call__(self, activity: Activity) -> None:
        self.heard.append(activity.name)
        if self.error:
            raise self.error


@pytest.fixture
def signers() -> PaperSigners:
    return PaperSigners()


@pytest.fixture
def hearing() -> Hearing:
    return Hearing()


@pytest.fixture
def inbox(
    kept_in_memory: DomainDatabase, broker: PaperQueues, signers: Any, hearing: Hearing
) -> Iterator[Inbox]:
    handlers = Handlers()
    handlers.on_follow(hearing)
    parameters, queues = DidParameters(), DomainQueues()
    inbox = Inbox(kept_in_memory, broker, signers, handlers, parameters=parameters, queues=queues)
    yield inbox
    inbox.close()


def request(body: bytes) -> Request:
    return Request(method="POST", target="/inbox", body=body)


def test_what_is_signed_by_whose_it_is_waits_in_the_queue(inbox: Inbox, broker: PaperQueues) -> None:
    for _ in range(2):
        run(inbox.admit(request(canonical(FOLLOW))))
    first, second = broker.written(INBOX_QUEUE)
    assert first.body == canonical(FOLLOW)
    assert first.id == second.id


@pytest.mark.parametrize(
    ("signer", "error"),
    [
        (A.service, BadHttpSignature),
        (BadHttpSignature("unsigned", "no"), BadHttpSignature),
        (Unavailable("the key is away"), Unavailable),
    ],
)
def test_nobody_speaks_for_another(
    inbox: Inbox, broker: PaperQueues, signers: PaperSigners, signer: Any, error: type[Exception]
) -> None:
    signers.signer = signer
    with pytest.raises(error):
        run(inbox.admit(request(canonical(FOLLOW))))
    assert broker.written(INBOX_QUEUE) == []


def test_whose_key_is_here_waits_for_nobody_whose_key_is_not(
    inbox: Inbox, broker: PaperQueues, signers: PaperSigners, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 20)
    known, unknown = (canonical(FOLLOW | {"id": B.activity(name)}) for name in ("known", "unknown"))
    signers.known = (known,)
    signers.may_answer.clear()

    async def story() -> None:
        waiting = [asyncio.create_task(inbox.admit(request(unknown))) for _ in range(20)]
        await asyncio.sleep(0)
        await inbox.admit(request(known))
        assert [message.body for message in broker.written(INBOX_QUEUE)] == [known]
        with pytest.raises(Unavailable, match="20 requests wait"):
            await inbox.admit(request(unknown))
        signers.may_answer.set()
        await asyncio.gather(*waiting)
        await inbox.admit(request(unknown))

    run(story())


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", canonical(FOLLOW | {"type": "Shout"})])
def test_what_is_no_activity_is_refused_before_any_key_is_fetched(
    inbox: Inbox, signers: PaperSigners, body: bytes
) -> None:
    signers.signer = AssertionError("a key was fetched")
    with pytest.raises(BadActivity):
        run(inbox.admit(request(body)))
    received: Any = Bodied(body)
    with pytest.raises(InvalidMessage):
        inbox.consumer.decode(received)


def test_nothing_is_let_in_that_the_broker_does_not_have(inbox: Inbox, broker: PaperQueues) -> None:
    broker.is_connected = False
    with pytest.raises(NotConnected):
        run(inbox.admit(request(canonical(FOLLOW))))


def test_an_activity_is_handled_once(inbox: Inbox, hearing: Hearing, kept_in_memory: DomainDatabase) -> None:
    received: Any = Bodied(canonical(FOLLOW))
    for _ in range(2):
        run(inbox.handle(inbox.consumer.decode(received)))
    assert hearing.heard == [B.activity("1")]
    assert kept_in_memory.do(find_activity, INBOX, B.service, B.activity("1")) == FOLLOW


def test_one_that_can_never_be_handled_is_kept_all_the_same(
    inbox: Inbox, hearing: Hearing, kept_in_memory: DomainDatabase
) -> None:
    hearing.error = BadActivity("rule", "no")
    with pytest.raises(BadActivity):
        run(inbox.handle(told(FOLLOW)))
    assert kept_in_memory.do(find_activity, INBOX, B.service, B.activity("1")) == FOLLOW
    # Redriven, it has another chance.
    hearing.error = None
    run(inbox.handle(told(FOLLOW)))
    assert kept_in_memory.do(is_handled, INBOX, B.service, B.activity("1"))
    assert len(hearing.heard) == 2


@pytest.mark.parametrize(
    ("error", "told_as"),
    [
        (Unavailable("away"), Unavailable),
        (RuntimeError("a mistake"), RuntimeError),
        # The database is there, so it is this activity's trouble, and no reason to pause.
        (StoreError("not this"), Unavailable),
    ],
)
def test_one_that_fails_for_now_comes_again(
    inbox: Inbox, hearing: Hearing, kept_in_memory: DomainDatabase, error: Exception, told_as: type[Exception]
) -> None:
    hearing.error = error
    with pytest.raises(told_as):
        run(inbox.handle(told(FOLLOW)))
    assert kept_in_memory.do(find_activity, INBOX, B.service, B.activity("1")) is None
