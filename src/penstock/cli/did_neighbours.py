"""`penstock did follow`, `invite`, `undo` and `neighbours`: how a domain of this machine gets on with others.

What is asked for is posted in the domain's outbox, so its broker must be there; the domain itself sends it on
as soon as it runs.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from penstock.cli.aligned import aligned
from penstock.cli.did_options import DATA, DataOption, DomainOption
from penstock.cli.errors import explained
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_done, print_json
from penstock.errors import BadActivity, BadSetting, NotConnected

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from penstock.did.domain import Domain, Places

__all__ = ["follow", "invite", "neighbours", "opened_places", "undo"]

ServiceArgument = Annotated[
    str, typer.Argument(metavar="URL", help="The other domain, or its service.", show_default=False)
]
ActivityArgument = Annotated[
    str,
    typer.Argument(
        metavar="ACTIVITY", help="What follow, invite or neighbours has shown.", show_default=False
    ),
]


def follow(
    service: ServiceArgument,
    data: DataOption = DATA,
    domain: DomainOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Ask to be told of another domain's anchors; shows the name to undo it by."""
    _post(data, domain, lambda opened: opened.federation.follow(service_of(service)), as_json=as_json)


def invite(
    service: ServiceArgument,
    data: DataOption = DATA,
    domain: DomainOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Ask another domain to witness this one's anchors; shows the name to undo it by."""
    _post(data, domain, lambda opened: opened.federation.invite(service_of(service)), as_json=as_json)


def undo(
    activity: ActivityArgument,
    data: DataOption = DATA,
    domain: DomainOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Take back what follow or invite has asked for."""
    _post(data, domain, lambda opened: opened.federation.undo(activity), as_json=as_json)


def neighbours(
    data: DataOption = DATA,
    domain: DomainOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """List who follows the domain and whom it follows, who witnesses for it and for whom it does.

    Whom it follows and who witnesses for it is listed with the names to undo that by.
    """
    with explained():
        from penstock.did.domain.parts import create_tables, open_database  # noqa: PLC0415 (see app.py)

        database = open_database(opened_places(data, domain))
        try:
            create_tables(database)
            found = database.read(_relations)
        finally:
            database.close()
        if as_json:
            print_json([each._asdict() for each in found])
            return
        rows = [(each.collection, each.service, name) for each in found for name in each.activities or ("",)]
        for line in aligned(("IS AMONG", "SERVICE", "UNDONE BY"), rows):
            typer.echo(line)


class _Relation(NamedTuple):
    collection: str
    service: str
    #: By which this domain has asked for it: one is enough, and `undo` takes each back by itself.
    activities: list[str]


def _relations(connection: Connection) -> list[_Relation]:
    from penstock.did.federation import membership  # noqa: PLC0415 (see app.py)
    from penstock.did.federation.grants import grants_of  # noqa: PLC0415

    asked_for = (membership.FOLLOWING, membership.WITNESSES)
    return [
        _Relation(name, each, grants_of(connection, name, each) if name in asked_for else [])
        for name in (membership.FOLLOWERS, membership.FOLLOWING, membership.WITNESSES, membership.WITNESSING)
        for each in membership.all_members(connection, name)
    ]


def service_of(url: str) -> str:
    """The service that a URL means.

    Raises:
        BadSetting: it is no URL of a domain.
    """
    from penstock.did.federation.iris import service_at  # noqa: PLC0415 (see app.py)

    try:
        return service_at(url)
    except BadActivity as exc:
        raise BadSetting(str(exc), setting="service") from exc


def opened_places(data: Path, word: str | None) -> Places:
    """The places of a domain that was started from a folder.

    Raises:
        BadSetting: there is none, or there are several and nobody says which.
    """
    from penstock.did.domain.folder import DataFolder  # noqa: PLC0415 (see app.py)

    folder = DataFolder(data)
    words = folder.words()
    if not words:
        raise BadSetting(f"no domain was started with {data}: `penstock did up` first", setting="data")
    chosen = word or (words[0] if len(words) == 1 else None)
    places = None if chosen is None else folder.read(chosen)
    if places is None:
        raise BadSetting(f"which domain? --domain {', --domain '.join(words)}", setting="domain")
    return places


def _post(data: Path, word: str | None, ask: Callable[[Domain], Awaitable[Any]], *, as_json: bool) -> None:
    with explained():
        name = asyncio.run(_asked(opened_places(data, word), ask))
        print_done(name or "done", {"activity": name}, as_json=as_json)


async def _asked(places: Places, ask: Callable[[Domain], Awaitable[Any]]) -> Any:
    from penstock.did.domain import Domain  # noqa: PLC0415 (see app.py)

    # A domain waits for its broker; a person does not.
    hasty = replace(places.parameters, mq_connect_max_retries=1)
    # What goes wrong is told by the command, once; without a handler Python would print the log as well.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    try:
        async with Domain(replace(places, parameters=hasty)) as domain:
            return await ask(domain)
    except NotConnected as exc:
        hint = f"is {places.base} running? `penstock did up` starts it, and its own broker if it has one"
        raise NotConnected(f"{exc}; {hint}") from exc
