"""Where things are and what runs here: WebFinger, host-meta, node info, and the domain's own DID document."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.routing import Route

from penstock import __version__
from penstock.did.activities import Directory, names
from penstock.did.activities.directory import DID_TYPE, HOST_META
from penstock.did.activities.node_info import VERSIONS, media_type, node_info, well_known
from penstock.did.activities.webfinger import JRD_TYPE, WEBFINGER
from penstock.did.anchoring.links import copies_of
from penstock.did.cas import HashLink
from penstock.did.credentials import KEY_FRAGMENT, did_web, document_of
from penstock.did.federation.archive import OUTBOX, count_type
from penstock.did.web.answers import BAD, NOT_FOUND, answer
from penstock.errors import BadHashLink, SidetreeError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from penstock.did.activities import Jrd
    from penstock.did.cas import ContentStorage
    from penstock.did.credentials import PublicKey
    from penstock.did.database import DomainDatabase
    from penstock.did.federation import Iris
    from penstock.did.operations import Resolver

__all__ = ["DiscoveryPages"]

SOURCE: Final = "https://pypi.org/project/penstock"
#: URLs of an anchor's copies that are told, those of one who has it, and letters of each. Anybody may like an
#: anchor, and whoever asks reads so much of an answer and no more (cas/remote.py).
COPIES: Final = 50
HINTS: Final = 2
LONGEST: Final = 512
#: RFC 6415 has XML at the first, and JSON for those who accept it. Nobody asks domains for XML.
HOST_METAS: Final = (HOST_META.removesuffix(".json"), HOST_META)


class DiscoveryPages:
    """What is asked before anything else."""

    def __init__(
        self, database: DomainDatabase, iris: Iris, key: PublicKey, cas: ContentStorage, resolver: Resolver
    ) -> None:
        self._database = database
        self._iris = iris
        self._cas = cas
        self._resolver = resolver
        self._directory = Directory(base=iris.base, service=iris.service, service_url=iris.service)
        did = did_web(urlsplit(iris.base).netloc)
        self._document = document_of(did, {KEY_FRAGMENT: key})

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(WEBFINGER, self.webfinger, methods=["GET"]),
            Route("/.well-known/did-orb", self.endpoints, methods=["GET"]),
            *(Route(path, self.host_meta, methods=["GET"]) for path in HOST_METAS),
            Route("/.well-known/nodeinfo", self.node_infos, methods=["GET"]),
            Route("/.well-known/did.json", self.did_document, methods=["GET"]),
            Route("/nodeinfo/{version}", self.node_info, methods=["GET"]),
        ]

    async def webfinger(self, request: Request) -> Response:
        """What is known of a resource."""
        resource = request.query_params.get("resource")
        if not resource:
            raise HTTPException(BAD, f"which resource is asked for? {WEBFINGER}?resource=…")
        found = await self._found(resource)
        if found is None:
            raise HTTPException(NOT_FOUND, "this domain has no such resource")
        return answer(found.document(), kind=JRD_TYPE)

    async def _found(self, resource: str) -> Jrd | None:
        if resource.startswith("did:"):
            return await self._found_did(resource)
        name = self._directory.content_name(resource)
        if not name or not await self._has(name):
            return self._directory.answer(resource)
        return self._directory.answer(resource, has_content=True, copies=await self._copies(name))

    async def _copies(self, name: str) -> list[str]:
        """URLs of copies of an anchor that others have told of by a Like."""
        links = await self._database.ask(copies_of, name)
        return [hint for link in links for hint in _shown(HashLink.parse(link))][:COPIES]

    async def _has(self, name: str) -> bool:
        try:
            return await asyncio.to_thread(self._cas.has, name)
        except BadHashLink:
            return False

    async def _found_did(self, did: str) -> Jrd | None:
        try:
            about = (await self._resolver.resolve(did))["didDocumentMetadata"]
        except SidetreeError:
            return None
        if not about["method"]["published"]:
            return None
        copies = await self._copies(about["versionId"])
        return self._directory.did(
            about["canonicalId"],
            anchor=f"hl:{about['versionId']}",
            origin=about["method"].get("anchorOrigin", ""),
            domains=[_domain_of(copy) for copy in copies],
        )

    async def endpoints(self, request: Request) -> Response:
        """Where clients turn to."""
        return answer(self._directory.endpoints())

    async def host_meta(self, request: Request) -> Response:
        """Where WebFinger is asked, and which service is this domain's."""
        return answer(self._directory.host_meta().document())

    async def node_infos(self, request: Request) -> Response:
        """Which versions of node info there are."""
        return answer(well_known(self._iris.base))

    async def node_info(self, request: Request) -> Response:
        """What software runs here, and how much it does."""
        version = request.path_params["version"]
        if version not in VERSIONS:
            raise HTTPException(NOT_FOUND, f"node info is told in the versions {', '.join(VERSIONS)}")
        posts = await self._database.ask(count_type, OUTBOX, names.CREATE)
        comments = await self._database.ask(count_type, OUTBOX, names.LIKE)
        told = node_info(version, release=__version__, source=SOURCE, posts=posts, comments=comments)
        return answer(told, kind=media_type(version))

    async def did_document(self, request: Request) -> Response:
        """The domain as a did:web, with the key that its proofs are checked with."""
        return answer(self._document, kind=DID_TYPE)


def _shown(copy: HashLink) -> list[str]:
    return [hint for hint in copy.links if len(hint) <= LONGEST and _domain_of(hint)][:HINTS]


def _domain_of(url: str) -> str:
    """The domain that a URL leads to; empty if it is none: whoever likes an anchor may tell anything."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else ""
