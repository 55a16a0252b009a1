"""Receiving anchors of other domains: a Create of its author, or an Announce of whoever follows the author.

The linkset is stored here, with those before it that are not known yet; the observer is told of them, the
oldest first; then those who follow this domain are told of what was created. Who tells of an anchor that is
known already tells nothing new. And who tells of one has it, and those before it: so it is asked for what
their authors have no more, or cannot give now.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import PUBLIC, AnchorEvent, announce, announced, created
from penstock.did.anchoring.links import put_pending, put_told, untold_among
from penstock.did.anchoring.messages import ANCHOR, AnchorInfo
from penstock.did.anchors import Anchor
from penstock.did.cas import HashLink, Sources
from penstock.did.cas.storage import LIMIT
from penstock.did.hints import hint_to
from penstock.errors import BadActivity, BadAnchor, PersistentError, Unavailable
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.clock import Clock
    from penstock.did.activities import Activity
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Post, Queues
    from penstock.did.cas import ContentStorage
    from penstock.did.database import DomainDatabase

__all__ = ["AnchorReceiver"]

#: Unknown anchors before one that are followed up. Whoever has missed more replays them in bulk.
LONGEST: Final = 10_000
#: Seconds for what one activity tells of. Then it waits for its next delivery, and others have their turn:
#: what was stored is stored, and each domain that is asked may take its time.
PATIENCE: Final = 60.0
#: Contents that are fetched at a time; slow domains must not take the threads that this one serves others by.
THREADS: Final = 8


@dataclass(frozen=True, slots=True)
class _Found:
    """An anchor whose linkset is here by now."""

    #: As it was told, and as it is here.
    link: HashLink
    local: HashLink
    author: str
    parents: tuple[str, ...]


class AnchorReceiver:
    """Takes anchors that others tell of."""

    def __init__(
        self,
        identity: Identity,
        database: DomainDatabase,
        *,
        cas: ContentStorage,
        queues: Queues,
        post: Post,
        clock: Clock,
        longest: int = LONGEST,
        patience: float = PATIENCE,
    ) -> None:
        self._identity = identity
        self._database = database
        self._cas = cas
        self._queues = queues
        self._post = post
        self._clock = clock
        self._longest = longest
        self._patience = patience
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="receiver")

    def close(self) -> None:
        """Fetch nothing any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def handle_create(self, told: Activity) -> None:
        """Take an anchor from its author, and tell followers.

        Raises:
            BadActivity, BadAnchor, BadCredential: it is none, or another's; trying again will not help.
            ContentNotFound, ContentForged: nobody has its linkset, or that of one before it.
            Unavailable, StoreError, ClientError: something is away; it is to be delivered again.
        """
        event, until = created(told), self._clock.now() + self._patience
        if not await self._is_new(event.url):
            return
        found = await self._stored(event, told.actor)
        if found.author != told.actor:
            raise BadActivity("author", f"{told.actor[:120]!r} creates an anchor of {found.author[:120]!r}")
        await self._take(found, told.actor, until)
        await self._announce(event.url, told.actor)
        await self._told(found)

    async def handle_announce(self, told: Activity) -> None:
        """Take anchors from whoever has heard of them; raises what `handle_create` does.

        One that cannot be taken does not keep the others away; the first error is told at the end.
        """
        errors, until = [], self._clock.now() + self._patience
        for event in announced(told):
            self._check_time(until)
            try:
                await self._take_announced(event, told.actor, until)
            except PersistentError as exc:
                errors.append(exc)
        if errors:
            raise errors[0]

    async def take_told(self, info: AnchorInfo) -> bool:
        """Take an anchor that somebody tells of without being asked; whether it is new. Raises the same."""
        event = AnchorEvent(url=HashLink.parse(info.hash_link))
        if not await self._is_new(event.url):
            return False
        await self._take_announced(event, info.attributed_to, self._clock.now() + self._patience)
        return True

    async def _take_announced(self, event: AnchorEvent, actor: str, until: float) -> None:
        if await self._is_new(event.url):
            found = await self._stored(event, actor)
            await self._take(found, actor, until)
            await self._told(found)

    async def _is_new(self, link: HashLink) -> bool:
        return bool(await self._database.ask(untold_among, [link.hash]))

    # Storing

    async def _stored(self, event: AnchorEvent, actor: str) -> _Found:
        if event.linkset is None:
            return await self._in_thread(self._fetched, event.url, actor)
        # The event was read only if the hash is the linkset's.
        return await self._in_thread(self._kept, event.url, canonical(event.linkset))

    async def _in_thread(self, work: Callable[..., _Found], *args: Any) -> _Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    def _fetched(self, link: HashLink, actor: str) -> _Found:
        sources = Sources(self._cas, tuple(filter(None, [hint_to(actor)])))
        return self._kept(link, sources(str(link), LIMIT))

    def _kept(self, link: HashLink, data: bytes) -> _Found:
        anchor = Anchor.parse(data)
        return _Found(link, self._cas.put(data), anchor.author, anchor.parents)

    # Taking

    async def _take(self, last: _Found, actor: str, until: float) -> None:
        """Tell the observer of an anchor, and before that of those that it does not know before it."""
        for each in await self._lineage(last, actor, until):
            await self._publish(each, actor)
            await self._told(each)
        await self._publish(last, actor)

    async def _publish(self, found: _Found, actor: str) -> None:
        await self._database.run(put_pending, found.link, self._clock.now())
        info = AnchorInfo(hash_link=str(found.link), local_hash_link=str(found.local), attributed_to=actor)
        await self._queues.publish(ANCHOR, info.encode())

    async def _told(self, found: _Found) -> None:
        await self._database.run(put_told, found.link.hash, self._clock.now())

    async def _lineage(self, last: _Found, actor: str, until: float) -> list[_Found]:
        """The unknown anchors before one, each after those before itself.

        Depth first, without recursion: a chain may be long. It has no circle, since a linkset has the hashes
        of those before it.
        """
        done: dict[str, _Found] = {}
        way = [(last, await self._unknown(last.parents))]
        while way:
            found, parents = way[-1]
            fresh = [link for link in parents if link.hash not in done]
            if not fresh:
                way.pop()
                done[found.link.hash] = found
                continue
            # Those that are known to be before the last, fetched or not.
            if len(done) + len(way) - 1 + len({link.hash for link in fresh}) > self._longest:
                raise BadAnchor(
                    "up", f"more than {self._longest} unknown anchors are before this one: replay them"
                )
            self._check_time(until)
            parent = await self._in_thread(self._fetched, fresh[0], actor)
            way.append((parent, await self._unknown(parent.parents)))
        return [each for name, each in done.items() if name != last.link.hash]

    def _check_time(self, until: float) -> None:
        if self._clock.now() > until:
            raise Unavailable(f"not all that it tells of is here after {self._patience:g} s: the rest later")

    async def _unknown(self, parents: tuple[str, ...]) -> list[HashLink]:
        links = [HashLink.parse(each) for each in parents]
        untold = await self._database.ask(untold_among, [link.hash for link in links])
        return [link for link in links if link.hash in untold]

    # Telling

    async def _announce(self, link: HashLink, actor: str) -> None:
        await self._post.post(
            announce(
                name=self._identity.activity_name("announce", link.hash),
                actor=self._identity.service,
                to=[self._identity.followers, PUBLIC],
                events=[AnchorEvent(url=link)],
                at=self._clock.now(),
            ),
            # It told us.
            exclude=[actor],
        )
