"""Keys of other domains, fetched when a proof names one; `did:key` needs none, `did:web` has a document.

How a URL is read is a port, so this file knows no network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.did.credentials.methods import document_url, key_in, key_of_did_key
from penstock.did.kept import Kept
from penstock.errors import BadCredential, ContentNotFound, ContentTooLarge, MalformedJson
from penstock.sidetree.canonical import parse

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.credentials.keys import PublicKey
    from penstock.did.http.port import Fetch

__all__ = ["FetchedKeys"]

#: Bytes of a DID document.
LIMIT: Final = 256 * 1024
#: Seconds that a key is believed without asking again. A key that its owner took back is refused after that.
KEPT_FOR: Final = 300.0


class FetchedKeys:
    """Every key that can be found; a `Keys`."""

    def __init__(
        self, fetch: Fetch, clock: Clock, *, kept_for: float = KEPT_FOR, scheme: str = "https"
    ) -> None:
        """Nothing is fetched yet.

        Args:
            fetch: `HttpFetcher().fetch`, or one like it.
            clock: What tells how old a key is.
            kept_for: Seconds that a key is believed.
            scheme: How documents are reached; http only among domains of one machine.
        """
        self._fetch = fetch
        self._scheme = scheme
        self._keys = Kept(self._fetched, clock, seconds=kept_for)

    def public_key(self, method: str) -> PublicKey:
        return key_of_did_key(method) or self._keys.get(method)

    def _fetched(self, method: str) -> PublicKey:
        url = document_url(method, scheme=self._scheme)
        try:
            document = parse(self._fetch(url, limit=LIMIT, accept="application/did+json"))
        except (ContentNotFound, ContentTooLarge, MalformedJson) as exc:
            raise BadCredential("method", f"{method[:120]!r} has no document: {exc}") from exc
        if not isinstance(document, dict):
            raise BadCredential("method", f"{method[:120]!r} has no document, but {type(document).__name__}")
        return key_in(document, method)
