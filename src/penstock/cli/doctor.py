"""`penstock doctor`: what answers at a URL, and what of an application cannot run there, and why."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli.application import load_application
from penstock.cli.errors import FAILED, explained
from penstock.cli.machine import examine_machine
from penstock.cli.options import JsonOption, ManagementOption, MaybeApplicationArgument, TopologyFileOption
from penstock.cli.printing import print_json
from penstock.cli.reaching import first_of, reached
from penstock.cli.up import DATA, PORTS
from penstock.errors import BadSetting
from penstock.messaging.doctor import Severity, examine, examine_broker, examine_plan
from penstock.messaging.topology.looking import look
from penstock.messaging.topology.model import Topology
from penstock.messaging.topology.plan import make_plan
from penstock.messaging.topology.written import load as load_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.messaging.doctor import Finding

__all__ = ["doctor"]

#: Sign, words and colour of each severity.
SHOWN: Final = {
    Severity.REFUSED: ("!", "cannot run", typer.colors.RED),
    Severity.RISK: ("?", "runs, at a risk", typer.colors.YELLOW),
    Severity.NOTE: ("·", "good to know", None),
}
#: What all of it comes to, by the worst.
VERDICTS: Final = {
    Severity.REFUSED: "Something stands in the way.",
    Severity.RISK: "Nothing stands in the way, but for the risks.",
    Severity.NOTE: "Nothing stands in the way.",
}


def doctor(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="URL", help="The broker, amqp://user:password@host/; else this machine is looked at."
        ),
    ] = None,
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
    data: Annotated[
        Path,
        typer.Option(
            "--data", metavar="FOLDER", help="Where `penstock up` would keep everything on this machine."
        ),
    ] = DATA,
    strict: Annotated[bool, typer.Option("--strict", help="A risk counts as a failure, too.")] = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (likewise)
) -> None:
    """Find out whether an application can run on a broker, and if not, why; or what this machine lacks.

    Without a URL it looks at this machine: ports, disk, libraries, Java.

    Exits with 0 if nothing stands in the way, with 1 if something does or the
    broker cannot be reached, and with 2 if the question cannot be understood.
    """
    with explained():
        wanted = Topology() if application is None else load_application(application).topology()
        if file is not None:
            wanted += load_file(file)
        report: dict[str, Any] = {}
        if url is not None:
            found = asyncio.run(_examined(url, wanted, management, report))
        elif application is not None or file is not None:
            raise BadSetting("on which broker? Name it before the application", setting="url")
        else:
            found = examine_machine(data, PORTS)
        if database is not None:
            # Its library is a large one, and needed only here.
            from penstock.cli.roles import examine_roles  # noqa: PLC0415

            found += examine_roles(database, role, tables or ())
        _conclude(found, report, Severity.RISK if strict else Severity.REFUSED, as_json=as_json)


def _conclude(found: "list[Finding]", report: dict[str, Any], limit: Severity, *, as_json: bool) -> None:
    """Tell everything, and what it comes to; what is as bad as the limit is a failure."""
    worst = max((finding.severity for finding in found), default=Severity.NOTE)
    if as_json:
        print_json(report | {"findings": [_fields(each) for each in found]})
    else:
        _tell_server(report)
        _tell(found)
        typer.echo(VERDICTS[worst])
    if worst >= limit:
        raise typer.Exit(FAILED)


async def _examined(
    url: str, wanted: Topology, management: str | None, report: dict[str, Any]
) -> "list[Finding]":
    """What was found; what the broker is and what could not be seen goes into the report."""
    async with reached(url) as client:
        server = client.server
        report["broker"] = server.product
        report["version"] = ".".join(map(str, server.version))
        report["capabilities"] = sorted(server.capabilities)
        live = await look(client, first_of(url), wanted, management=management)
        if live.unseen and wanted != Topology():
            report["unseen"] = live.unseen
        plan = make_plan(wanted, live)
    return [*examine_broker(server), *examine(wanted, server), *examine_plan(plan)]


def _fields(finding: "Finding") -> dict[str, str]:
    severity = finding.severity.name.lower()
    return {"severity": severity, "subject": finding.subject, "text": finding.text}


def _tell_server(report: dict[str, Any]) -> None:
    if "broker" not in report:
        return
    known = report["broker"] or "A broker that does not say what it is"
    typer.echo(f"{known} {report['version']}".rstrip())
    if report["capabilities"]:
        typer.echo(f"It can: {', '.join(report['capabilities'])}")
    if "unseen" in report:
        typer.secho(f"Not everything was seen: {report['unseen']}.", fg=typer.colors.YELLOW)


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
