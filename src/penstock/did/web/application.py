"""The HTTP application of a domain: all of its pages, put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.did.federation import Acceptance
from penstock.did.web.asking import AskingPages
from penstock.did.web.boxes import ServicePages
from penstock.did.web.contents import ContentPages
from penstock.did.web.did_web import WebDidPages, WebDids
from penstock.did.web.discovery import DiscoveryPages
from penstock.did.web.express import Express
from penstock.did.web.health import HealthPages
from penstock.did.web.lists import ListPages
from penstock.did.web.operator import Operator
from penstock.did.web.policies import PolicyPages
from penstock.did.web.sidetree import SidetreePages
from penstock.sidetree.ingestion import ANY_ORIGIN

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.applications import Starlette

    from penstock.did.cas import ContentStorage
    from penstock.did.credentials import PublicKey
    from penstock.did.database import DomainDatabase
    from penstock.did.federation import Federation
    from penstock.did.operations import Resolver
    from penstock.did.web.contents import Credentials
    from penstock.did.web.intake import OperationIntake
    from penstock.did.web.sidetree import Wonder
    from penstock.messaging.port import Broker

__all__ = ["Site", "application"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What a domain's pages show and change."""

    database: DomainDatabase
    broker: Broker
    federation: Federation
    #: The service's key, and the domain's.
    key: PublicKey
    cas: ContentStorage
    credentials: Credentials
    intake: OperationIntake
    resolver: Resolver
    #: Told of DIDs that are not known here.
    wonder: Wonder | None = None
    #: The operator's; empty if there is none.
    token: str = field(default="", repr=False)
    #: What the parameters say of whom the domain lets in, and whose DIDs it takes.
    acceptance: Acceptance = field(default_factory=Acceptance)
    origins: Collection[str] = ANY_ORIGIN


def application(site: Site) -> Starlette:
    """The application; any ASGI server runs it."""
    iris = site.federation.iris
    operator = Operator(site.token)
    dids = WebDids(site.resolver, iris.base)
    sidetree = SidetreePages(site.intake, dids, site.wonder)
    pages = (
        # Routes are looked through in order, and this is where the crowd goes.
        sidetree,
        ServicePages(site.database, iris, site.key, site.federation.inbox),
        DiscoveryPages(site.database, iris, site.key, site.cas, site.resolver),
        ContentPages(site.cas, site.credentials),
        AskingPages(site.federation, operator),
        ListPages(site.database, operator, acceptance=site.acceptance, origins=site.origins),
        WebDidPages(dids),
        PolicyPages(site.database, operator),
        HealthPages(site.database, site.broker),
    )
    return Express([route for page in pages for route in page.routes()], sidetree.post_operation)
