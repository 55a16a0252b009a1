"""DIDs under a second name, which Orb gives them: each is a did:web of this domain as well.

Who only knows did:web:orb.example.com:scid:EiA… finds the document at /scid/EiA…/did.json, where the DID's
other names are among those it is also known by. What is deactivated is no longer there: did:web has no way to
say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.routing import Route

from penstock.did.activities.directory import DID_TYPE
from penstock.did.credentials import did_web
from penstock.did.web.answers import answer
from penstock.errors import BadEncoding, UnknownDid
from penstock.sidetree.did import UNPUBLISHED
from penstock.sidetree.methods import ORB_METHOD
from penstock.sidetree.multihash import check_hash

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from penstock.did.operations import Resolver
    from penstock.sidetree.state import State

__all__ = ["WebDidPages", "WebDids"]

#: As Orb has it: a DID that certifies itself.
SCID: Final = "scid"
#: How many of the equivalent names are told.
EQUIVALENTS: Final = 2


class WebDids:
    """A `Resolver` that knows DIDs by their second name as well."""

    def __init__(self, resolver: Resolver, base: str) -> None:
        """Resolve them at the domain of this URL."""
        self._resolver = resolver
        self._first = f"{ORB_METHOD.namespace}:{UNPUBLISHED}:"
        self.prefix = did_web(urlsplit(base).netloc, SCID) + ":"

    async def resolve(
        self, did: str, *, version: str | None = None, until: int | None = None
    ) -> dict[str, Any]:
        if not did.startswith(self.prefix):
            return await self._resolver.resolve(did, version=version, until=until)
        suffix = did.removeprefix(self.prefix)
        try:
            check_hash(suffix)
        except BadEncoding as exc:
            # A did:web may be called anything, so this is no wrong name, as a did:orb like it would be.
            raise UnknownDid(f"no DID of this domain is called {did[:120]!r}") from exc
        found = await self._resolver.resolve(self._first + suffix, version=version, until=until)
        about = dict(found["didDocumentMetadata"])
        if about.get("deactivated"):
            raise UnknownDid(f"{did[:120]!r} is deactivated")
        document = found["didDocument"]
        names = [about.pop("canonicalId", document["id"]), *about.pop("equivalentId", [])[:EQUIVALENTS]]
        # As Orb's clients expect it, who compare: this name gives its place to the DID's first one.
        known = [names[0] if each == did else each for each in document.get("alsoKnownAs", [])]
        named = _renamed(document, document["id"], did)
        return found | {
            "didDocument": named | {"alsoKnownAs": list(dict.fromkeys(known + names))},
            "didDocumentMetadata": about,
        }

    async def state_of(self, suffix: str) -> State | None:
        return await self._resolver.state_of(suffix)


class WebDidPages:
    """Their documents, where did:web looks for them."""

    def __init__(self, dids: WebDids) -> None:
        self._dids = dids

    def routes(self) -> list[Route]:
        """Where they are."""
        return [Route(f"/{SCID}/{{suffix}}/did.json", self.document, methods=["GET"])]

    async def document(self, request: Request) -> Response:
        """One of them."""
        found = await self._dids.resolve(self._dids.prefix + request.path_params["suffix"])
        return answer(found["didDocument"], kind=DID_TYPE)


def _renamed(value: Any, old: str, new: str) -> Any:
    """The same with another name, also where it names a key or a service."""
    if isinstance(value, dict):
        return {member: _renamed(each, old, new) for member, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, old, new) for each in value]
    if isinstance(value, str) and (value == old or value.startswith(f"{old}#")):
        return new + value.removeprefix(old)
    return value
