"""Catching up: anchors that nobody could tell the domain of, since it was away for longer than they try.

From time to time the outbox of every service that it follows is read, from the newest back to where it was
read to before, and what is not known yet is taken, the oldest first. It begins with what was told after the
Follow: the history before that is replayed in bulk. And what the domain was told of and could not have or
observe, since its author was away for as long, is tried again, ever more rarely.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Final

from penstock.did.anchoring.links import forget_link, overdue_links, put_pending, put_untold
from penstock.did.anchoring.messages import AnchorInfo
from penstock.did.cas import HashLink
from penstock.did.federation.marks import mark_of, put_mark
from penstock.did.federation.membership import FOLLOWING, all_members, member_since
from penstock.did.observing.outboxes import Told, told_in
from penstock.did.tasks import Task
from penstock.errors import (
    BadActivity,
    ClientError,
    PenstockError,
    PersistentError,
    StoreError,
    TransientError,
    Unavailable,
)

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.activities import Peers
    from penstock.did.anchoring.receiver import AnchorReceiver
    from penstock.did.database import DomainDatabase
    from penstock.did.http.port import Fetch

__all__ = ["ACTIVITY_SYNC", "CatchingUp"]

#: The task's name at the task manager.
ACTIVITY_SYNC: Final = "activity-sync"
#: Activities about anchors of one service that are taken in one run; the next goes on.
MOST: Final = 1000
#: Seconds of a run for reading one outbox, which may have no end; and for taking what was found there.
PATIENCE: Final = 60.0
#: Where an outbox is read to in which there was nothing.
BEGINNING: Final = ""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Reading:
    """How far an outbox was read, in this run and in those before."""

    #: The URL of the page that is next.
    page: str
    #: What was told of anchors, the newest first, and up to where; the oldest only, if there are too many.
    missed: deque[Told] = field(default_factory=lambda: deque(maxlen=MOST))
    newest: str = ""
    is_cut: bool = False

    def add(self, told: Told) -> None:
        if told.anchors:
            self.is_cut = self.is_cut or len(self.missed) == self.missed.maxlen
            self.missed.append(told)

    def begin_anew(self) -> None:
        self.missed.clear()
        self.newest, self.is_cut = "", False


class CatchingUp:
    """Reads the outboxes of all that the domain follows."""

    def __init__(
        self,
        database: DomainDatabase,
        *,
        peers: Peers,
        fetch: Fetch,
        receiver: AnchorReceiver,
        clock: Clock,
        min_age: float,
    ) -> None:
        """Nothing is read yet.

        Args:
            database: With the layouts ANCHORING and FEDERATION.
            peers: What other services tell of themselves.
            fetch: `HttpFetcher().fetch`, or one like it.
            receiver: Takes anchors.
            clock: What tells the time.
            min_age: sync-min-activity-age, in seconds: what is younger may be on its way here.
        """
        self._database = database
        self._peers = peers
        self._fetch = fetch
        self._receiver = receiver
        self._clock = clock
        self._min_age = min_age
        #: Outboxes that were too long for a run, by their service.
        self._readings: dict[str, _Reading] = {}

    def task(self, interval: float) -> Task:
        """Doing so as a task; `interval` is sync-interval, in seconds."""
        return Task(ACTIVITY_SYNC, interval, self.run)

    async def run(self) -> int:
        """Read all of them once; returns how many anchors the observer is told of for that.

        Raises:
            StoreError: the database is away; the next run goes on.
        """
        taken = 0
        for service in await self._database.ask(all_members, FOLLOWING):
            try:
                taken += await self._catch_up(service)
            # One that cannot be read does not keep the others away.
            except PenstockError as exc:
                _log.warning("the outbox of %s is read later: %s", service, exc)
            except Exception:  # noqa: BLE001 (a mistake of ours, about this one as far as is known)
                _log.exception("the outbox of %s is read later", service)
        return taken + await self._try_again()

    async def _try_again(self) -> int:
        now, taken = self._clock.now(), 0
        for link in await self._database.ask(overdue_links, now, least=self._min_age, limit=MOST):
            if self._clock.now() > now + PATIENCE:
                # The others are overdue still at the next run, and come first there.
                break
            taken += await self._told_again(AnchorInfo(hash_link=link))
        return taken

    async def _told_again(self, info: AnchorInfo) -> bool:
        link = HashLink.parse(info.hash_link)
        try:
            return await self._receiver.take_told(info)
        except PersistentError as exc:
            _log.warning("anchor %s is forgotten: %s", link.bare, exc)
            await self._database.run(forget_link, link.hash)
        except StoreError:
            raise
        except (TransientError, ClientError) as exc:
            _log.info("anchor %s is tried again later: %s", link.bare, exc)
            await self._database.run(put_untold, link.hash, self._clock.now())
        except Exception:  # noqa: BLE001 (a mistake of ours, about this one as far as is known)
            _log.exception("anchor %s is tried again later", link.bare)
            await self._database.run(put_untold, link.hash, self._clock.now())
        return False

    async def _catch_up(self, service: str) -> int:
        mark = await self._database.ask(mark_of, service)
        since = await self._database.ask(member_since, FOLLOWING, service)
        if since is None:
            # It is not followed any more.
            return 0
        is_over = Event()
        try:
            missed, newest = await asyncio.to_thread(self._missed, service, mark, since, is_over)
        finally:
            # The thread of one that is cancelled reads no further page.
            is_over.set()
        taken, last, until = 0, mark, self._clock.now() + PATIENCE
        try:
            while missed and self._clock.now() <= until:
                told = missed[-1]
                for info in told.anchors:
                    taken += await self._take(info)
                last = missed.pop().name
            if not missed:
                last = newest or last or BEGINNING
        finally:
            if last is not None and last != mark:
                await self._put_mark(service, last)
        if taken:
            _log.info("%d anchors that %s has told of were not known", taken, service)
        return taken

    async def _take(self, info: AnchorInfo) -> bool:
        try:
            return await self._receiver.take_told(info)
        except PersistentError as exc:
            _log.warning("an anchor that %s has told of is passed over: %s", info.attributed_to, exc)
        except TransientError as exc:
            # Its author may be gone for good, and what was told after it is not to wait for that.
            _log.info("an anchor that %s has told of is tried again later: %s", info.attributed_to, exc)
            link = HashLink.parse(info.hash_link)
            await self._database.run(put_pending, link, self._clock.now())
        return False

    async def _put_mark(self, service: str, name: str) -> None:
        await self._database.run(put_mark, service, name, self._clock.now())

    def _missed(
        self, service: str, mark: str | None, since: float, is_over: Event
    ) -> tuple[deque[Told], str]:
        """What was told of anchors since the mark, the newest first, and up to where that is all. Blocks.

        Without a mark, what was told since that time, and a little before: clocks differ.
        """
        reading = self._readings.pop(service, None) or _Reading(self._outbox_of(service))
        try:
            self._read(reading, service, mark, since - self._min_age, self._until(reading, is_over))
        except Unavailable:
            # The next run goes on: beginning anew, it would come no further in an outbox that is long.
            self._readings[service] = reading
            raise
        # If there are too many, the oldest are taken, and the mark is where they end.
        return reading.missed, "" if reading.is_cut else reading.newest

    def _read(self, reading: _Reading, service: str, mark: str | None, since: float, fetch: Fetch) -> None:
        now = self._clock.now()
        for told in told_in(reading.page, service, fetch):
            # Who is of the future had a wrong clock once, or lies: nobody waits for that day.
            if 0 <= now - told.at < self._min_age:
                # What stands above it has its turn with it.
                reading.begin_anew()
                continue
            if told.name == mark:
                break
            reading.newest = reading.newest or told.name
            # What is about no anchor need not tell when it was.
            if mark is None and told.anchors and told.at < since:
                break
            reading.add(told)

    def _until(self, reading: _Reading, is_over: Event) -> Fetch:
        """The way to pages, for a while. Each counts: there may be nothing in any of them."""
        end = self._clock.now() + PATIENCE

        def fetch(url: str, *, limit: int, accept: str) -> bytes:
            reading.page = url
            if is_over.is_set() or self._clock.now() > end:
                raise Unavailable(f"it has not come to its end in {PATIENCE:g} s, and is read on then")
            return self._fetch(url, limit=limit, accept=accept)

        return fetch

    def _outbox_of(self, service: str) -> str:
        outbox = self._peers.actor(service).places.get("outbox")
        if outbox is None:
            raise BadActivity("no-outbox", f"{service[:120]!r} has no outbox")
        return outbox
