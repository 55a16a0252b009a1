"""A domain put together: its parts opened from its places, and run by roles.

    async with Domain(places, roles=[WEB, WORKER]) as domain:
        …

Pure: places, roles. Parts that any process can open: parts, keys. All of them together: domain; run by its
roles: running, sweeps. What the operator asks of other domains at the start: relations. Domains of one
machine, and where they keep things: founding, folder.
"""

from penstock.did.domain.domain import Domain
from penstock.did.domain.places import Places
from penstock.did.domain.roles import WEB, WORKER, WRITER

__all__ = ["WEB", "WORKER", "WRITER", "Domain", "Places"]
