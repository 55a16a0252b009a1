"""The observer at work, in whatever process: an anchor is read to its end and stored.

    observer = Observer(database, cas=…, keys=…, protocols=…, clock=…)
    outcome = observer.observe(info)

Calls block, as Spark's executors like it. Nothing is told to anybody: likes and failures are the driver's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring.links import OBSERVED, copies_of, known_links
from penstock.did.anchoring.noting import was_verified
from penstock.did.anchors import Anchor
from penstock.did.cas import HashLink, Sources
from penstock.did.cas.storage import LIMIT
from penstock.did.hints import hint_to
from penstock.did.observing.outcome import Outcome, Seen, as_error
from penstock.did.observing.reading import read_anchor
from penstock.did.observing.storing import store, untold
from penstock.did.operations.adding import rows_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.anchoring import AnchorInfo
    from penstock.did.cas import ContentStorage
    from penstock.did.credentials import Keys
    from penstock.did.database import DomainDatabase
    from penstock.sidetree.protocol import Protocols

__all__ = ["Observer"]


class Observer:
    """Observes anchors for a domain."""

    def __init__(
        self,
        database: DomainDatabase,
        *,
        cas: ContentStorage,
        keys: Keys,
        protocols: Protocols,
        clock: Clock,
        unchecked: Collection[str] = (),
    ) -> None:
        """Nothing is observed yet.

        Args:
            database: With the layouts ANCHORING, OPERATION_QUEUE and OPERATIONS.
            cas: The domain's storage, with a way to other domains'.
            keys: Where the keys of authors and witnesses come from.
            protocols: The versions of the protocol.
            clock: What tells the time.
            unchecked: Authors who are trusted without a proof that can be checked here.
        """
        self._database = database
        self._cas = cas
        self._keys = keys
        self._protocols = protocols
        self._clock = clock
        self._unchecked = unchecked

    def observe(self, info: AnchorInfo) -> Outcome:
        """Observe an anchor; whatever is wrong with it is in the outcome."""
        name = ""
        try:
            link = HashLink.parse(info.hash_link)
            name = link.hash
            return Outcome(seen=[self.see(info, link)])
        except Exception as exc:  # noqa: BLE001  one bad anchor never stops the rest
            return Outcome(error=as_error(exc), failed=name)

    def see(self, info: AnchorInfo, link: HashLink) -> Seen:
        """The same, told by errors: those of `read_anchor`, and StoreError."""
        state, copies = self._database.read(_known, link.hash)
        fetch = Sources(self._cas, tuple(dict.fromkeys(filter(None, _others(info, copies)))))
        data = fetch(info.hash_link, LIMIT)
        copy = str(self._cas.link(data))
        if state == OBSERVED:
            # Its follow-up may not have been done: whoever stored it may have died before.
            anchor = Anchor.parse(data)
            unknown = self._database.read(untold, anchor.parents)
            return Seen(info=info, author=anchor.author, copy=copy, is_known=True, unknown=unknown)
        found = read_anchor(
            data,
            fetch,
            self._keys,
            self._protocols,
            unchecked=self._unchecked,
            verified=self._database.read(was_verified, link.hash),
        )
        rows = rows_of(found.operations)
        unknown = self._database.do(store, found, rows, now=self._clock.now())
        return Seen(
            info=info,
            author=found.author,
            copy=copy,
            operations=len(found.operations),
            left_out=found.left_out,
            unknown=unknown,
        )


def _known(connection: Connection, name: str) -> tuple[str, list[str]]:
    return known_links(connection, [name]).get(name, ""), copies_of(connection, name)


def _others(info: AnchorInfo, copies: list[str]) -> list[str]:
    """Who else may have what belongs to an anchor, as hints."""
    places = [place for copy in copies for place in HashLink.parse(copy).links]
    return [hint_to(each) for each in (info.attributed_to, *info.alternate_sources, *places)]
