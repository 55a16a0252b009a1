"""Getting content from other domains: which place after which, and what it means if none has it.

The links of a hashlink, in their order; then IPFS by a gateway, if there is one; then the domain of the
hint, found by WebFinger. Whoever sends something else than was asked for is passed over. If nobody has it
the worst news is told: somebody could not be asked (try again), before somebody lied, before nobody has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from penstock.did.activities.directory import CAS, LD_TYPE
from penstock.did.activities.webfinger import JRD_TYPE, Jrd, question_about
from penstock.did.cas.hashes import verify
from penstock.did.cas.reference import IPFS
from penstock.did.http import HttpFetcher
from penstock.errors import BadActivity, ContentForged, ContentNotFound, ContentTooLarge, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.did.cas.reference import Reference
    from penstock.did.http.port import Fetch

__all__ = ["Remote"]

#: Bytes of a WebFinger answer.
JRD_LIMIT: Final = 64 * 1024
#: Links that are tried for one content; who names more wants to keep us busy.
MOST_LINKS: Final = 16

#: What tells most about trying again comes first.
WORST_FIRST: Final = (Unavailable, ContentForged, ContentTooLarge, ContentNotFound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """Everybody else."""

    #: How a URL is read.
    read: Fetch = field(default_factory=lambda: HttpFetcher().fetch)
    #: The URL of a gateway to IPFS, up to where `/ipfs/<CID>` begins; empty for none.
    ipfs_gateway: str = ""

    def fetch(self, wanted: Reference, *, limit: int) -> bytes:
        """The content, verified.

        Raises:
            ContentNotFound, ContentForged, ContentTooLarge, Unavailable: nobody has it, and the worst reason.
        """
        failures: list[Exception] = []
        for locate in self._places(wanted):
            try:
                url = locate()
                data = self.read(url, limit=limit, accept=LD_TYPE)
                verify(data, wanted.hash, source=url)
            except WORST_FIRST as exc:
                failures.append(exc)
            else:
                return data
        raise _worst(wanted, failures)

    def _places(self, wanted: Reference) -> Iterator[Callable[[], str]]:
        """How to come by each URL; the last needs a question."""
        links = wanted.links[:MOST_LINKS]
        for link in links:
            if link.startswith(("https://", "http://")):
                yield partial(str, link)
        gateway = self.ipfs_gateway.rstrip("/")
        for link in links if gateway else ():
            if link.startswith(IPFS):
                yield partial(str, f"{gateway}/ipfs/{quote(link.removeprefix(IPFS))}")
        if wanted.domain:
            yield partial(self._discovered, wanted)

    def _discovered(self, wanted: Reference) -> str:
        """Where the domain of the hint has the content, as it says itself."""
        resource = f"{wanted.domain}{CAS}/{wanted.hash}"
        question = question_about(resource, wanted.domain)
        answer = self.read(question, limit=JRD_LIMIT, accept=JRD_TYPE)
        try:
            return Jrd.read(answer).target
        except BadActivity as exc:
            raise ContentNotFound(f"{wanted.domain} does not say where {wanted.hash} is: {exc}") from exc


def _worst(wanted: Reference, failures: list[Exception]) -> Exception:
    if not failures:
        return ContentNotFound(f"{wanted.hash} is not here, and its reference names nobody who may be asked")
    told = "; ".join(str(failure) for failure in failures)
    kind = next(kind for kind in WORST_FIRST if any(isinstance(each, kind) for each in failures))
    return kind(f"{wanted.hash} could not be had: {told}")
