"""Wondering about DIDs that are not known here: the observer is asked to find out, by the queue orb.did.

Anybody may ask for any DID, so the same one is wondered about only now and then, and of all only so many in
that time: whoever makes them up by the thousand keeps no observer busy.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.errors import ClientError
from penstock.messaging.message import Message
from penstock.sidetree.did import UNPUBLISHED, read_did
from penstock.sidetree.methods import ORB_METHOD
from penstock.sidetree.multihash import hashed

if TYPE_CHECKING:
    from penstock.did.queues import DomainQueues
    from penstock.messaging.port import Broker
    from penstock.sidetree.methods import Method

__all__ = ["Wondering"]

#: Seconds before the same DID is wondered about again.
AGAIN_AFTER: Final = 60.0
#: DIDs that are wondered about in that time, by each process.
MOST: Final = 1000

_log = logging.getLogger(__name__)


class Wondering:
    """Asks the observer."""

    def __init__(
        self,
        broker: Broker,
        queues: DomainQueues,
        *,
        method: Method = ORB_METHOD,
        again_after: float = AGAIN_AFTER,
        most: int = MOST,
    ) -> None:
        self._broker = broker
        self._to = queues.destination(queues.named("did"))
        self._method = method
        self._again_after = again_after
        self._most = most
        self._asked: OrderedDict[str, float] = OrderedDict()

    async def __call__(self, did: str) -> None:
        """Have somebody find out about a DID, if it says where its anchor is; never fails.

        Args:
            did: One that can be read.
        """
        now = self._broker.clock.now()
        self._forget(now)
        if did in self._asked or read_did(did, self._method).anchor == UNPUBLISHED:
            return
        if len(self._asked) >= self._most:
            _log.debug("nobody is asked about %s: too many DIDs are not known here", did[:120])
            return
        try:
            await self._broker.publish(Message(body=msgspec.json.encode(did), id=hashed(did)), self._to)
        except ClientError as exc:
            # Whoever asks again later has more luck.
            _log.warning("nobody is told that %s is not known here: %s", did[:120], exc)
            return
        self._asked[did] = now + self._again_after

    def _forget(self, now: float) -> None:
        while self._asked and next(iter(self._asked.values())) <= now:
            self._asked.popitem(last=False)
