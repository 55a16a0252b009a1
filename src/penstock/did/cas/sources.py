"""Where the linkset and the files of an anchor come from: where they say, else from others who may have them.

Whoever has told of an anchor, and whoever has liked it, has observed it, and so has its files. An author that
is gone for good takes nothing with it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.did.cas.reference import Reference
from penstock.errors import ContentForged, ContentNotFound, Unavailable

if TYPE_CHECKING:
    from penstock.did.cas.storage import ContentStorage

__all__ = ["Sources"]

#: What another place may help with.
HELPED: Final = (ContentNotFound, ContentForged, Unavailable)
#: Others that are asked for one content; each may take its time.
MOST: Final = 4


@dataclass(frozen=True, slots=True)
class Sources:
    """A domain's storage, and the domains that are asked when nobody else has something."""

    cas: ContentStorage
    #: As hints: https:orb.example.com
    others: tuple[str, ...] = ()

    def __call__(self, uri: str, most: int, /) -> bytes:
        """A content, verified, of at most so many bytes.

        Raises:
            BadHashLink: the address is none.
            ContentTooLarge: it has more bytes.
            ContentNotFound, ContentForged, Unavailable: nobody has it; the reason of those it names.
        """
        try:
            return self.cas.get(uri, limit=most)
        except HELPED as exc:
            name = Reference.parse(uri).hash
            for hint in self.others[:MOST]:
                with suppress(*HELPED):
                    return self.cas.get(f"{hint}:{name}", limit=most)
            raise exc from None
