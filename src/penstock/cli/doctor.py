"""`penstock doctor`: what answers at a URL, and what of an application cannot run there, and why."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli.application import load_application
from penstock.cli.errors import FAILED, explained
from penstock.cli.options import ManagementOption, MaybeApplicationArgument, TopologyFileOption
from penstock.cli.reaching import first_of, reached
from penstock.messaging.doctor import Severity, examine, examine_broker, examine_plan
from penstock.messaging.topology.looking import look
from penstock.messaging.topology.model import Topology
from penstock.messaging.topology.plan import make_plan
from penstock.messaging.topology.written import load as load_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client import ServerInfo
    from penstock.messaging.doctor import Finding

__all__ = ["doctor"]

#: Sign, words and colour of each severity.
SHOWN: Final = {
    Severity.REFUSED: ("!", "cannot run", typer.colors.RED),
    Severity.RISK: ("?", "runs, at a risk", typer.colors.YELLOW),
    Severity.NOTE: ("·", "good to know", None),
}


def doctor(
    url: Annotated[str, typer.Argument(metavar="URL", help="The broker, as in amqp://user:password@host/.")],
    application: MaybeApplicationArgument = None,
    file: TopologyFileOption = None,
    management: ManagementOption = None,
    database: Annotated[
        str | None,
        typer.Option(
            "--database", metavar="URL", help="The application's PostgreSQL, to see who else can write there."
        ),
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME", help="A table that other services are told of; repeat it."),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option("--role", metavar="NAME", help="The application's own role; else the one in the URL."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A risk counts as a failure, too.")] = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Find out whether an application can run on a broker, and if not, why.

    Exits with 0 if nothing stands in the way, with 1 if something does or the
    broker cannot be reached, and with 2 if the question cannot be understood.
    """
    with explained():
        wanted = Topology() if application is None else load_application(application).topology()
        if file is not None:
            wanted += load_file(file)
        found = asyncio.run(_examined(url, wanted, management))
        if database is not None:
            # Its library is a large one, and needed only here.
            from penstock.cli.roles import examine_roles  # noqa: PLC0415

            found += examine_roles(database, role, tables or ())
        _tell(found)
        worst = max((finding.severity for finding in found), default=Severity.NOTE)
        if worst >= (Severity.RISK if strict else Severity.REFUSED):
            raise typer.Exit(FAILED)


async def _examined(url: str, wanted: Topology, management: str | None) -> "list[Finding]":
    async with reached(url) as client:
        server = client.server
        _tell_server(server)
        live = await look(client, first_of(url), wanted, management=management)
        if live.unseen and wanted != Topology():
            typer.secho(f"Not everything was seen: {live.unseen}.", fg=typer.colors.YELLOW)
        plan = make_plan(wanted, live)
    return [*examine_broker(server), *examine(wanted, server), *examine_plan(plan)]


def _tell_server(server: "ServerInfo") -> None:
    version = ".".join(map(str, server.version))
    typer.echo(f"{server.product or 'A broker that does not say what it is'} {version}".rstrip())
    if server.capabilities:
        typer.echo(f"It can: {', '.join(sorted(server.capabilities))}")


def _tell(found: "Sequence[Finding]") -> None:
    """The worst first; what is said of several is said once."""
    for severity, group in groupby(
        sorted(found, key=lambda each: -each.severity), lambda each: each.severity
    ):
        sign, words, colour = SHOWN[severity]
        typer.secho(f"{words.capitalize()}:", bold=True)
        several: dict[str, list[str]] = {}
        for finding in group:
            several.setdefault(finding.text, []).append(finding.subject)
        for text, subjects in several.items():
            typer.secho(f"  {sign} {', '.join(subjects)}: {text}", fg=colour)
    if not found:
        typer.echo("Nothing stands in the way.")
