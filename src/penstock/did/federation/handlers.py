"""Who does something about activities that come in: a list for each type, filled by the domain's parts.

A handler may be called again with the same activity, after a crash or a failure of another handler.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partialmethod
from typing import TYPE_CHECKING

from penstock.did.activities import names

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.did.activities import Activity

    #: Raises PersistentError if it can never be done, anything else to be called again later.
    Handler = Callable[[Activity], Awaitable[None]]

__all__ = ["Handlers"]


class Handlers:
    """The handlers of all types, called one after another in the order they came."""

    def __init__(self) -> None:
        self._of: defaultdict[str, list[Handler]] = defaultdict(list)

    def on(self, kind: str, handler: Handler) -> None:
        """Have activities of a type handled."""
        self._of[kind].append(handler)

    on_offer = partialmethod(on, names.OFFER)
    on_accept = partialmethod(on, names.ACCEPT)
    on_reject = partialmethod(on, names.REJECT)
    on_create = partialmethod(on, names.CREATE)
    on_announce = partialmethod(on, names.ANNOUNCE)
    on_like = partialmethod(on, names.LIKE)
    on_follow = partialmethod(on, names.FOLLOW)
    on_invite = partialmethod(on, names.INVITE)
    on_undo = partialmethod(on, names.UNDO)

    async def handle(self, told: Activity) -> None:
        """Have an activity handled by all who want it; what the first that fails raises passes through."""
        for handler in self._of[told.type]:
            await handler(told)
