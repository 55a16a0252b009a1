"""Domains on paper: what they post and publish is written down, and delivered when the test says so."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from penstock.did.activities import Activity
from penstock.did.anchoring import ANCHORING, Anchoring, Identity, recorded_files
from penstock.did.anchoring.in_process import read_anchor
from penstock.did.cas import ContentStorage
from penstock.did.credentials import ED25519, P_256, SigningKey, did_web
from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OPERATION_QUEUE, Cut
from penstock.did.operation_queue.cut import CutDesk
from penstock.did.operation_queue.cuts import read_cut
from penstock.did.operation_queue.pending import Pending, entry_of
from penstock.did.operation_queue.reposting import Reposter
from penstock.did.operations import OPERATIONS
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.did.witnesses import parse_policy
from penstock.errors import BadActivity, BadCredential, NotConnected
from penstock.sidetree.canonical import canonical, parse
from tests.did.anchors.helpers import link, suffix
from tests.did.operation_queue.helpers import PaperBroker, posted
from tests.did.operation_queue.support import cut_all

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Mapping, Sequence

    from penstock.clock import VirtualClock
    from penstock.did.anchoring.in_process import AnchorRecord
    from penstock.did.credentials import PublicKey
    from penstock.did.operation_queue import Posted
    from penstock.did.witnesses import Policy

NOW = 1_700_000_000.0
NAMES = "abcd"
KEYS = {
    name: SigningKey.generate(kind)
    for name, kind in zip(NAMES, (ED25519, P_256, ED25519, P_256), strict=True)
}
CORE_INDEX = link("core index")


def run(story: Awaitable[Any]) -> Any:
    """Tell a story to its end, which is soon."""

    async def with_deadline() -> Any:
        async with asyncio.timeout(60):
            return await story

    return asyncio.run(with_deadline())


def identity(name: str) -> Identity:
    host = f"{name}.example"
    return Identity(
        service=f"https://{host}/services/orb",
        base=f"https://{host}",
        key=KEYS[name],
        method=f"{did_web(host)}#main",
    )


A, B, C, D = (identity(name) for name in NAMES)


class PaperKeys:
    """The keys of all domains."""

    def public_key(self, method: str) -> PublicKey:
        for each in (A, B, C, D):
            if each.method == method:
                return each.key.public
        raise BadCredential("method", f"{method} is nobody's key")


@dataclass
class PaperPost:
    """An outbox; what is posted twice is there once, if it is the same."""

    posted: dict[str, dict[str, Any]] = field(default_factory=dict)
    excluded: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0
    is_away: bool = False
    error: Exception = field(default_factory=lambda: NotConnected("the outbox is away"))

    async def post(self, activity: Mapping[str, Any], *, exclude: Sequence[str] = ()) -> None:
        if self.is_away:
            raise self.error
        self.count += 1
        self.posted.setdefault(activity["id"], dict(activity))
        self.excluded[activity["id"]] = list(exclude)

    def told(self, kind: str) -> list[Activity]:
        """Activities of that type, as others receive them."""
        found = [each for each in self.posted.values() if each["type"] == kind]
        return [Activity.parse(canonical(each)) for each in found]


@dataclass
class PaperQueues:
    published: list[tuple[str, bytes]] = field(default_factory=list)
    is_away: bool = False

    async def publish(self, queue: str, payload: bytes) -> None:
        if self.is_away:
            raise NotConnected("the broker is away")
        self.published.append((queue, payload))

    def of(self, queue: str) -> list[Any]:
        return [parse(payload) for name, payload in self.published if name == queue]


@dataclass
class PaperNeighbours:
    """Collections, ledgers and the policy."""

    invited: list[str] = field(default_factory=list)
    witnessing: set[str] = field(default_factory=set)
    policy: str = ""
    logs: set[str] = field(default_factory=set)
    #: Those of domains that are origins as such.
    services: dict[str, str] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    error: Exception | None = None

    async def witnesses(self) -> list[str]:
        return self.invited

    async def is_witnessing(self, iri: str) -> bool:
        return iri in self.witnessing

    async def witness_policy(self) -> Policy:
        return parse_policy(self.policy)

    def service_of(self, origin: str) -> str:
        return self.services.get(origin, origin)

    def log_of(self, iri: str) -> str:
        if iri in self.silent:
            raise self.error or BadActivity("not-found", f"{iri} does not answer")
        return f"{iri}/log" if iri in self.logs else ""


class PaperContents:
    """A storage that all domains can read, as they can over HTTP."""

    def __init__(self) -> None:
        self.of: dict[str, bytes] = {}

    def put(self, name: str, data: bytes, *, anew: bool = False) -> None:
        self.of[name] = data

    def get(self, name: str, limit: int) -> bytes | None:
        return self.of.get(name)

    def has(self, name: str) -> bool:
        return name in self.of


class Domain:
    """A domain, or an instance of one: those of one domain share the database, and what is on paper."""

    def __init__(
        self,
        who: Identity,
        database: DomainDatabase,
        clock: VirtualClock,
        *,
        contents: PaperContents | None = None,
        parameters: DidParameters | None = None,
        shares: Domain | None = None,
    ) -> None:
        self.identity = who
        self.database = database
        self.clock = clock
        self.parameters = parameters or DidParameters()
        self.contents = contents or PaperContents()
        self.post: PaperPost = shares.post if shares else PaperPost()
        self.queues: PaperQueues = shares.queues if shares else PaperQueues()
        self.neighbours: PaperNeighbours = shares.neighbours if shares else PaperNeighbours()
        self.cas = ContentStorage(self.contents, links_at=f"{who.base}/cas")
        self.compose(self.post, self.queues)

    def compose(self, post: Any, queues: Any) -> None:
        self.anchoring = Anchoring(
            self.identity,
            self.database,
            cas=self.cas,
            keys=PaperKeys(),
            services=self.neighbours,
            neighbours=self.neighbours,
            policies=self.neighbours,
            post=post,
            queues=queues,
            parameters=self.parameters,
            clock=self.clock,
            chance=Random(7),
        )

    # Cuts

    @property
    def desk(self) -> CutDesk:
        reposter = Reposter(
            self.database, PaperBroker(self.clock), policy=self.parameters.reposting, queues=DomainQueues()
        )
        return CutDesk(self.database, Pending(), reposter, parameters=self.parameters, clock=self.clock)

    def cut_only(self, *batch: Posted) -> Cut:
        """A cut without files."""
        record = cut_all(self.database, "me", *batch)
        return Cut(record, [entry_of(each, NOW) for each in batch], self.desk)

    async def cut(self, *batch: Posted, deferred: Sequence[str] = (), verified: bool = False) -> Cut:
        """A cut whose files are written."""
        cut = self.cut_only(*batch)
        await cut.record_files(recorded_files(CORE_INDEX, verified=verified), deferred=deferred)
        return cut

    def reopened(self, cut: Cut) -> Cut:
        """The cut as it is in the database, in the hands of whoever goes on with it."""
        record = self.database.do(read_cut, cut.id)
        assert record is not None
        return Cut(record, cut.operations, self.desk)

    # What happens

    async def write(self, *batch: Posted) -> str:
        return await self.anchoring.writer.write(await self.cut(*(batch or [created(1)])))

    def record(self, anchor: str) -> AnchorRecord | None:
        return self.database.do(read_anchor, anchor)

    def status(self, anchor: str) -> str:
        found = self.record(anchor)
        return "unknown" if found is None else found.status

    async def answer(self, offered: Activity, requester: Domain) -> Activity:
        """Witness an offer of another, and return the Accept."""
        self.neighbours.witnessing.add(requester.identity.service)
        before = set(self.post.posted)
        await self.anchoring.offers.handle(offered)
        (name,) = set(self.post.posted) - before
        return Activity.parse(canonical(self.post.posted[name]))


def created(number: int, origin: Any = A.base) -> Posted:
    return posted(number, unique_suffix=suffix(f"did {number}"), anchor_origin=origin)


def changed(number: int, kind: str = "update", origin: Any = A.base) -> Posted:
    return posted(
        number, type=kind, unique_suffix=suffix(f"did {number}"), anchor_origin=origin,
        operation_request=b'{"%s":%d}' % (kind.encode(), number),
    )  # fmt: skip


@contextmanager
def new_domain(who: Identity = A, **more: Any) -> Iterator[Domain]:
    """A domain in memory."""
    database = DomainDatabase("sqlite://")
    database.create(ANCHORING, OPERATION_QUEUE, OPERATIONS)
    yield Domain(who, database, **more)
    database.close()
