"""Lists that the operator reads and changes: whom the domain lets in, and whose DIDs it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.activities.directory import SERVICE_PATH
from penstock.did.federation.iris import service_at
from penstock.did.federation.lists import (
    ALLOWED_ORIGINS,
    FOLLOW_LIST,
    WITNESS_LIST,
    change_list,
    read_list,
)
from penstock.did.web.answers import BAD, answer
from penstock.did.web.bodies import read_body
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.engine import Connection
    from starlette.requests import Request

    from penstock.did.database import DomainDatabase
    from penstock.did.federation import Acceptance
    from penstock.did.web.operator import Operator

    #: By its name, what the parameters say of each list that there is.
    First = Mapping[str, Collection[str]]

__all__ = ["ListPages"]

#: Bytes of a change; of hundreds of services.
LIMIT: Final = 64 * 1024
CONFLICT: Final = 409

#: The URI of a service or of a domain.
Uri = Annotated[str, msgspec.Meta(max_length=512, pattern=r"\A[a-z]+:[^\s\x00-\x1f]+\Z")]
Origin = Annotated[str, msgspec.Meta(max_length=512, pattern=r"\A(\*|[a-z]+:[^\s\x00-\x1f]+)\Z")]
#: What is not there can be taken away, whatever it is.
Gone = Annotated[str, msgspec.Meta(max_length=512)]

Read = TypeVar("Read")


class AcceptListChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be on an accept list, and no longer."""

    type: str
    add: tuple[Uri, ...] | None = None
    remove: tuple[Gone, ...] | None = None


class OriginsChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same of the allowed origins."""

    add: tuple[Origin, ...] | None = None
    remove: tuple[Gone, ...] | None = None


class ListPages:
    """What the operator may look up and change while the domain runs."""

    def __init__(
        self,
        database: DomainDatabase,
        operator: Operator,
        *,
        acceptance: Acceptance,
        origins: Collection[str],
    ) -> None:
        """Pages of the lists that there are.

        Args:
            acceptance: The accept lists as the parameters have them; None for everybody.
            origins: The allowed origins, likewise.
        """
        self._database = database
        self._operator = operator
        lists = {FOLLOW_LIST: acceptance.followers, WITNESS_LIST: acceptance.witnessing}
        self._accepted: First = {name: listed for name, listed in lists.items() if listed is not None}
        self._everybodys = frozenset(lists) - frozenset(self._accepted)
        self._origins: First = {ALLOWED_ORIGINS: origins}

    def routes(self) -> list[Route]:
        """Where they are."""
        accept_lists, origins = f"{SERVICE_PATH}/acceptlist", "/allowedorigins"
        return [
            Route(accept_lists, self.accept_lists, methods=["GET"]),
            Route(accept_lists, self.change_accept_lists, methods=["POST"]),
            Route(origins, self.allowed_origins, methods=["GET"]),
            Route(origins, self.change_allowed_origins, methods=["POST"]),
        ]

    async def accept_lists(self, request: Request) -> Response:
        """All accept lists, or the one of a type."""
        self._operator.check(request)
        wanted = request.query_params.get("type")
        if wanted:
            self._demand(wanted)
        found = await self._database.ask(_read, self._accepted)
        shown = {name: {"type": name, "url": listed} for name, listed in found.items()}
        return answer(shown[wanted] if wanted else list(shown.values()))

    async def change_accept_lists(self, request: Request) -> Response:
        """Change one or several: all that is asked for, or nothing."""
        self._operator.check(request)
        told = _read_change(await read_body(request, LIMIT), list[AcceptListChange])
        for change in told:
            self._demand(change.type)
        return await self._change(self._accepted, [(change.type, _of_services(change)) for change in told])

    async def allowed_origins(self, request: Request) -> Response:
        """The anchor origins of operations that are taken."""
        self._operator.check(request)
        found = await self._database.ask(_read, self._origins)
        return answer(found[ALLOWED_ORIGINS])

    async def change_allowed_origins(self, request: Request) -> Response:
        """Take those of others, or no longer."""
        self._operator.check(request)
        told = _read_change(await read_body(request, LIMIT), OriginsChange)
        return await self._change(self._origins, [(ALLOWED_ORIGINS, told)])

    async def _change(
        self, first: First, changes: Sequence[tuple[str, AcceptListChange | OriginsChange]]
    ) -> Response:
        await self._database.run(_change, first, changes)
        return Response(b"", 200)

    def _demand(self, name: str) -> None:
        if name in self._everybodys:
            raise HTTPException(CONFLICT, f"there is no list: {name}-auth-policy accepts everybody")
        if name not in self._accepted:
            raise HTTPException(BAD, f"{name[:40]!r} is no type of accept list")


def _read_change(body: bytes, kind: type[Read]) -> Read:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise HTTPException(BAD, f"this is no change of a list: {exc}") from exc


def _of_services(change: AcceptListChange) -> AcceptListChange:
    """The same with the services that are meant, as the parameters have them: who asks has such a name.

    Raises:
        BadActivity: what is to be added is none.
    """
    return AcceptListChange(
        type=change.type,
        add=tuple(map(service_at, change.add or ())),
        remove=tuple(map(_maybe_service, change.remove or ())),
    )


def _maybe_service(url: str) -> str:
    try:
        return service_at(url)
    except BadActivity:
        return url


# Functions of a database connection


def _read(connection: Connection, first: First) -> dict[str, list[str]]:
    return {name: read_list(connection, name, listed) for name, listed in first.items()}


def _change(
    connection: Connection, first: First, changes: Sequence[tuple[str, AcceptListChange | OriginsChange]]
) -> None:
    # By their names, whoever asks: nobody waits for who waits for them.
    for name, change in sorted(changes, key=lambda each: each[0]):
        change_list(connection, name, first[name], add=change.add or (), remove=change.remove or ())
