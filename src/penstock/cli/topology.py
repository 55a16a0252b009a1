"""`penstock topology`: what an application wants a broker to have, against what it has."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli.application import METAVAR, load_application
from penstock.cli.errors import FAILED, explained
from penstock.cli.options import (
    JsonOption,
    ManagementOption,
    MaybeApplicationArgument,
    TopologyFileOption,
    UrlOption,
    YesOption,
)
from penstock.cli.printing import print_json
from penstock.cli.reaching import broker_url, first_of, reached
from penstock.errors import BadSetting
from penstock.messaging.doctor import demand_portable
from penstock.messaging.topology.applying import apply as apply_plan
from penstock.messaging.topology.looking import look
from penstock.messaging.topology.model import Topology
from penstock.messaging.topology.plan import Action, make_plan
from penstock.messaging.topology.written import load as load_file

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.client import Client
    from penstock.messaging.topology.live import Live
    from penstock.messaging.topology.plan import Plan, Step

__all__ = ["topology"]

topology = typer.Typer(
    name="topology",
    help="Compare the exchanges, queues and bindings an application wants with what a broker has.",
    no_args_is_help=True,
)

COLOURS: Final = {
    Action.CREATE: typer.colors.GREEN,
    Action.DELETE: typer.colors.RED,
    Action.RECREATE: typer.colors.YELLOW,
    Action.CONFLICT: typer.colors.RED,
    Action.LEAVE: typer.colors.YELLOW,
}

NamespaceOption = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        metavar="NAME",
        help="Queues that begin with NAME and a dot are the application's own; else its name is taken.",
    ),
]
RecreateOption = Annotated[
    bool,
    typer.Option("--recreate", help="Make empty, unused queues anew whose arguments are not as wanted."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is compared with what."""

    wanted: Topology
    namespace: str
    url: str
    management: str | None
    recreate: bool = False

    async def plan(self, client: "Client") -> "tuple[Live, Plan]":
        """What the broker has, and the way from there to what is wanted."""
        live = await look(
            client,
            first_of(self.url),
            self.wanted,
            management=self.management,
            namespace=self.namespace,
        )
        return live, make_plan(self.wanted, live, namespace=self.namespace, recreate=self.recreate)


def _question(
    application: str | None,
    file: "Path | None",
    url: str | None,
    management: str | None,
    namespace: str | None,
    *,
    recreate: bool,
) -> Question:
    app = None if application is None else load_application(application)
    if app is None and file is None:
        raise BadSetting(f"which topology? Name an application, {METAVAR}, or a file, --file", setting="file")
    wanted = Topology() if app is None else app.topology()
    if file is not None:
        wanted += load_file(file)
    return Question(
        wanted=wanted,
        namespace=namespace if namespace is not None else ("" if app is None else app.name),
        url=broker_url(url, app),
        management=management,
        recreate=recreate,
    )


@topology.command()
def plan(
    application: MaybeApplicationArgument = None,
    file: TopologyFileOption = None,
    url: UrlOption = None,
    management: ManagementOption = None,
    namespace: NamespaceOption = None,
    recreate: RecreateOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (likewise)
) -> None:
    """Show what `apply` would do; change nothing."""
    with explained():
        question = _question(application, file, url, management, namespace, recreate=recreate)
        _show(asyncio.run(_planned(question)), as_json=as_json)


@topology.command()
def check(
    application: MaybeApplicationArgument = None,
    file: TopologyFileOption = None,
    url: UrlOption = None,
    management: ManagementOption = None,
    namespace: NamespaceOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Exit with 1 unless the broker has everything that is wanted, and nothing to clean up."""
    with explained():
        question = _question(application, file, url, management, namespace, recreate=False)
        found = asyncio.run(_planned(question))
        _show(found, as_json=as_json)
        if not found.is_in_sync:
            raise typer.Exit(FAILED)


@topology.command()
def apply(
    application: MaybeApplicationArgument = None,
    file: TopologyFileOption = None,
    url: UrlOption = None,
    management: ManagementOption = None,
    namespace: NamespaceOption = None,
    recreate: RecreateOption = False,  # noqa: FBT002 (an option that is not given)
    yes: YesOption = False,  # noqa: FBT002 (likewise)
    as_json: JsonOption = False,  # noqa: FBT002 (likewise)
) -> None:
    """Show the difference, ask, and make the broker as wanted.

    Empty queues of the application that nothing declares any more are
    deleted; one that has messages or consumers is told of and left alone.
    """
    with explained():
        question = _question(application, file, url, management, namespace, recreate=recreate)
        asyncio.run(_applied(question, yes=yes, as_json=as_json))


async def _planned(question: Question) -> "Plan":
    async with reached(question.url) as client:
        return (await question.plan(client))[1]


async def _applied(question: Question, *, yes: bool, as_json: bool) -> None:
    async with reached(question.url) as client:
        demand_portable(question.wanted, client.server)
        live, found = await question.plan(client)
        _show(found, as_json=as_json)
        if found.conflicts:
            typer.echo("Nothing was changed: there are conflicts.", err=True)
            raise typer.Exit(FAILED)
        if found.is_in_sync and not found.unseen:
            return
        if not yes:
            typer.confirm("Do this?", abort=True, err=as_json)
        for step in await apply_plan(client, question.wanted, live, found):
            _tell(step, err=as_json)
        typer.echo("Done.", err=as_json)


def _show(found: "Plan", *, as_json: bool) -> None:
    if as_json:
        steps = [{"action": step.action.name.lower(), "step": str(step)} for step in found.steps]
        print_json({"is_in_sync": found.is_in_sync, "steps": steps, "unseen": found.unseen})
        return
    for step in found.steps:
        _tell(step)
    if found.unseen:
        typer.secho(f"Not everything was seen: {found.unseen}.", fg=typer.colors.YELLOW)
    if found.is_in_sync:
        typer.echo("The broker has everything that is wanted.")


def _tell(step: "Step", *, err: bool = False) -> None:
    typer.secho(str(step), fg=COLOURS[step.action], err=err)
