"""The parts of a domain that need nobody else: opened from its places, in any process, Spark's executors too.

Nothing here is kept: who opens a part closes it, or lets it go with the process.
"""

from __future__ import annotations

import ipaddress
import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from penstock.did.activities import Peers
from penstock.did.activities.directory import CAS
from penstock.did.anchoring import ANCHORING, Identity
from penstock.did.cas import ContentStorage, Remote, StoredContents
from penstock.did.credentials import KEY_FRAGMENT, FetchedKeys, did_web
from penstock.did.database import DomainDatabase
from penstock.did.domain.keys import read_key
from penstock.did.federation import FEDERATION
from penstock.did.http import HttpFetcher
from penstock.did.http.addresses import is_nobodys
from penstock.did.operation_queue import OPERATION_QUEUE
from penstock.did.operation_queue.seal import Seal
from penstock.did.operations import OPERATIONS
from penstock.did.tasks import TASKS
from penstock.errors import BadKey

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.domain.places import Places

__all__ = [
    "LAYOUTS",
    "create_tables",
    "open_cas",
    "open_database",
    "open_fetcher",
    "open_identity",
    "open_keys",
    "open_peers",
    "open_seal",
]

_log = logging.getLogger(__name__)

#: All that a domain keeps in its database.
LAYOUTS: Final = (FEDERATION, OPERATION_QUEUE, OPERATIONS, ANCHORING, TASKS)
HTTPS: Final = 443
#: Names of this machine that are no addresses.
LOCAL: Final = frozenset({"localhost", "localhost.localdomain"})


def open_database(places: Places) -> DomainDatabase:
    """The domain's records; who starts the domain has made the tables."""
    return DomainDatabase(places.database)


def create_tables(database: DomainDatabase) -> None:
    """Make all tables, or bring them to this version.

    Raises:
        StoreError: the database cannot be used, or a newer Penstock has written it.
    """
    database.create(*LAYOUTS)


def open_fetcher(places: Places) -> HttpFetcher:
    """How other domains are asked."""
    anywhere = places.parameters.enable_dev_mode
    nearby = anywhere or is_nearby(places.base)
    own = urlsplit(places.base)
    return HttpFetcher(
        may_ask=partial(may_ask, nearby=nearby, anywhere=anywhere),
        may_reach=None if nearby else partial(may_reach, own=(own.hostname or "", own.port or HTTPS)),
    )


def may_reach(host: str, port: int, address: str, *, own: tuple[str, int]) -> bool:
    """Whether a domain of the world may reach a host at an address.

    A stranger's name that leads to this machine leads past the wall that is before it. Our own may, to our
    own port: where a proxy stands before the domain, it often leads no further.
    """
    return (host, port) == own or not is_nobodys(address)


def may_ask(url: str, *, nearby: bool, anywhere: bool) -> bool:
    """Whether a URL may be asked: https always, http on this machine, or wherever it leads."""
    if url.startswith("https://"):
        return True
    return url.startswith("http://") and (anywhere or (nearby and is_nearby(url)))


def is_nearby(url: str) -> bool:
    """Whether a URL leads to this very machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host in LOCAL or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_cas(places: Places, fetcher: HttpFetcher | None = None) -> ContentStorage:
    """The domain's contents, and those that others have."""
    parameters = places.parameters
    return ContentStorage(
        StoredContents(places.storage),
        links_at=f"{places.base}{CAS}",
        remote=Remote(read=(fetcher or open_fetcher(places)).fetch, ipfs_gateway=parameters.ipfs_url or ""),
        tells_cid=int(parameters.cid_version) if parameters.cas_type == "ipfs" else None,
    )


def open_keys(places: Places, clock: Clock, fetcher: HttpFetcher | None = None) -> FetchedKeys:
    """The public keys of other domains."""
    scheme = urlsplit(places.base).scheme
    return FetchedKeys((fetcher or open_fetcher(places)).fetch, clock, scheme=scheme)


def open_peers(places: Places, clock: Clock, fetcher: HttpFetcher) -> Peers:
    """The services of other domains."""
    return Peers(fetcher.fetch, clock, scheme=urlsplit(places.base).scheme)


def open_identity(places: Places) -> Identity:
    """Who the domain is when it signs.

    Raises:
        BadKey: its key cannot be read.
    """
    method = f"{did_web(places.host)}#{KEY_FRAGMENT}"
    key = read_key(Path(places.key))
    return Identity(service=places.iris.service, base=places.base, key=key, method=method)


def open_seal(places: Places) -> Seal | None:
    """By which the domain knows what it has checked; None on a machine that has not got its key."""
    try:
        return Seal(read_key(Path(places.key)))
    except BadKey as exc:
        _log.warning("all operations are verified again before they go into a batch: %s", exc)
        return None
