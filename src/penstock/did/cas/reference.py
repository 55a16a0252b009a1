"""References: the ways in which a content is asked for.

    <resource hash>                         here, or nowhere
    hl:<resource hash>[:<metadata>]         here, else at the links
    https:<domain>[:<port>]:<resource hash> here, else at that domain
    ipfs:<resource hash>                    here, else from IPFS

The last two are the hints of `did:orb:https:…` and `did:orb:ipfs:…`. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.did.cas.cid import raw_cid
from penstock.did.cas.hashes import check_name, digest_of
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadHashLink

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["IPFS", "Reference"]

#: How a link to IPFS begins.
IPFS: Final = "ipfs://"

HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Which content, and who may have it."""

    hash: str
    links: tuple[str, ...] = ()
    #: With its scheme: https://orb.example.com
    domain: str = ""

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Read one.

        Raises:
            BadHashLink: it is of none of the kinds above.
        """
        hint, separator, rest = text.partition(":")
        if not separator:
            check_name(text)
            return cls(hash=text)
        if hint not in _HINTS:
            raise BadHashLink(f"no way to content is known by {hint[:20]!r}: {text[:60]!r}")
        return _HINTS[hint](text, hint, rest)


def _of_hashlink(text: str, hint: str, rest: str) -> Reference:
    link = HashLink.parse(text)
    return Reference(hash=link.hash, links=link.links)


def _of_domain(text: str, hint: str, rest: str) -> Reference:
    host, _, name = rest.rpartition(":")
    check_name(name)
    if not HOST.fullmatch(host):
        raise BadHashLink(f"no domain: {host[:60]!r}")
    return Reference(hash=name, domain=f"{hint}://{host}")


def _of_ipfs(text: str, hint: str, rest: str) -> Reference:
    return Reference(hash=rest, links=(IPFS + raw_cid(digest_of(rest)),))


_HINTS: Final[Mapping[str, Callable[[str, str, str], Reference]]] = {
    "hl": _of_hashlink,
    "https": _of_domain,
    "http": _of_domain,
    "ipfs": _of_ipfs,
}
