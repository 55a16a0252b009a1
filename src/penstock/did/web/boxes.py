"""The pages of the ActivityPub service: itself, its key, inbox and outbox, its collections and activities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.activities import ACTIVITY_TYPE, PUBLIC, KeyDocument, Paging, service
from penstock.did.activities import Request as SignedRequest
from penstock.did.activities.directory import SERVICE_PATH
from penstock.did.cas.hashlink import PREFIX, HashLink
from penstock.did.federation.archive import INBOX, OUTBOX, count_public, find_activity, public_activities
from penstock.did.federation.iris import ACTIVITIES, MAIN_KEY
from penstock.did.federation.membership import (
    FOLLOWERS,
    FOLLOWING,
    LIKED,
    LIKES,
    SHARES,
    WITNESSES,
    WITNESSING,
    count_members,
    page_of_members,
)
from penstock.did.web.answers import AWAY, NOT_FOUND, answer, encoded, refusal
from penstock.did.web.bodies import page_number, read_body
from penstock.did.web.room import LargeAnswer, Room
from penstock.errors import Unavailable

if TYPE_CHECKING:
    from typing import Any

    from starlette.requests import Request

    from penstock.did.credentials import PublicKey
    from penstock.did.database import DomainDatabase
    from penstock.did.federation import Inbox, Iris

__all__ = ["ServicePages"]

#: Bytes of an activity: the linkset of a full batch is the largest that comes.
LIMIT: Final = 16 * 1024 * 1024

#: Collections of services.
OF_SERVICES: Final = (FOLLOWERS, FOLLOWING, WITNESSES, WITNESSING, LIKED)
#: Collections of activities, each about an anchor, which may be asked for: likes/hl:uEi…, or likes?id=uEi…
BY_ANCHOR: Final = (LIKES, SHARES)


class ServicePages:
    """What other domains see, and where they post."""

    def __init__(self, database: DomainDatabase, iris: Iris, key: PublicKey, inbox: Inbox) -> None:
        self._database = database
        self._iris = iris
        self._inbox = inbox
        self._coming, self._going = Room(), Room()
        self._key = KeyDocument(name=iris.key, owner=iris.service, key=key)

    def routes(self) -> list[Route]:
        """Where they are."""
        pages = [
            ("", self.itself),
            (f"/keys/{MAIN_KEY}", self.key),
            (f"/{ACTIVITIES}/{{name}}", self.activity),
            *((f"/{box}", self.box) for box in (INBOX, OUTBOX)),
            *((f"/{name}", self.collection) for name in OF_SERVICES + BY_ANCHOR),
            *((f"/{name}/{{anchor}}", self.about) for name in BY_ANCHOR),
        ]
        return [
            Route(f"{SERVICE_PATH}/inbox", self.post_inbox, methods=["POST"]),
            *(Route(SERVICE_PATH + path, page, methods=["GET"]) for path, page in pages),
        ]

    async def itself(self, request: Request) -> Response:
        """The service."""
        return answer(service(self._iris.service, self._key), kind=ACTIVITY_TYPE)

    async def key(self, request: Request) -> Response:
        """The key that its requests are checked with."""
        return answer(self._key.document(), kind=ACTIVITY_TYPE)

    async def post_inbox(self, request: Request) -> Response:
        """Another domain tells of something."""
        with self._coming.share() as share:
            body = await read_body(request, LIMIT, share)
            try:
                await self._inbox.admit(signed_request(request, body))
            except Unavailable as exc:
                # Whoever asks names the key, and where nobody answers for it.
                return refusal(exc, AWAY, is_theirs=True)
        # Orb takes nothing but 200 for a yes.
        return Response(b"", 200)

    async def activity(self, request: Request) -> Response:
        """An activity of this service that was meant for everybody."""
        name = self._iris.activity(request.path_params["name"])
        found = await self._database.ask(find_activity, OUTBOX, self._iris.service, name)
        to = [] if found is None else found.get("to", [])
        if PUBLIC not in to:
            raise HTTPException(NOT_FOUND, "there is no such activity, or it is not for everybody")
        return self._large(found)

    async def box(self, request: Request) -> Response:
        """Inbox or outbox, as far as it is for everybody, the newest first."""
        box = _last(request)
        total = await self._database.ask(count_public, box)
        paging = Paging(name=self._iris.collection(box), total=total, newest_first=True)
        number = page_number(request, paging.first)
        if number is None:
            return answer(paging.document(), kind=ACTIVITY_TYPE)
        entries = await self._database.ask(public_activities, box, paging.span(number))
        return self._large(paging.page(number, entries))

    def _large(self, document: Any) -> Response:
        """What may have the linkset of a full batch, or fifty activities."""
        return LargeAnswer(encoded(document), self._going, kind=ACTIVITY_TYPE)

    async def collection(self, request: Request) -> Response:
        """One of the collections."""
        name = _last(request)
        anchor = request.query_params.get("id") if name in BY_ANCHOR else None
        return await self._members(request, name, anchor)

    async def about(self, request: Request) -> Response:
        """What one of the collections has about an anchor, which is named by a hashlink or its hash."""
        name = request.scope["path"].split("/")[-2]
        return await self._members(request, name, request.path_params["anchor"])

    async def _members(self, request: Request, name: str, anchor: str | None) -> Response:
        place, subject = self._iris.collection(name), None if name in BY_ANCHOR else ""
        if anchor is not None:
            place = f"{place}/{quote(anchor, safe='')}"
            subject = HashLink.parse(anchor).hash if anchor.startswith(PREFIX) else anchor
        total = await self._database.ask(count_members, name, subject=subject)
        paging = Paging(name=place, total=total, ordered=name in BY_ANCHOR)
        number = page_number(request, paging.first)
        if number is None:
            return answer(paging.document(), kind=ACTIVITY_TYPE)
        entries = await self._database.ask(page_of_members, name, paging.span(number), subject=subject)
        return answer(paging.page(number, entries), kind=ACTIVITY_TYPE)


def signed_request(request: Request, body: bytes) -> SignedRequest:
    """The request as its signature sees it."""
    scope = request.scope
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    target = b"?".join(filter(None, (path, scope["query_string"]))).decode("latin-1")
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    return SignedRequest(method=request.method, target=target, headers=headers, body=body)


def _last(request: Request) -> str:
    path: str = request.scope["path"]
    return path.rpartition("/")[2]
