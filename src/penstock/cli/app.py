"""The command line: all commands under one name, one file each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import typer

from penstock.cli.bench import bench
from penstock.cli.broker import broker
from penstock.cli.contracts import contracts
from penstock.cli.dead_letters import dead_letters
from penstock.cli.demo import demo
from penstock.cli.did import did
from penstock.cli.doctor import doctor
from penstock.cli.event_log import event_log
from penstock.cli.gateway import gateway
from penstock.cli.messages import messages
from penstock.cli.outbox import outbox
from penstock.cli.panel import panel
from penstock.cli.pipelines import pipelines
from penstock.cli.queues import queues
from penstock.cli.reconcile import reconcile
from penstock.cli.replay import replay
from penstock.cli.reports import reports
from penstock.cli.sample.command import sample
from penstock.cli.schedules import schedules
from penstock.cli.spark import spark
from penstock.cli.supervising import CHILD, end_with_parent
from penstock.cli.top import top
from penstock.cli.topology import topology
from penstock.cli.up import up
from penstock.cli.users import users
from penstock.cli.version import version
from penstock.cli.worker import worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["app", "main"]

app = typer.Typer(
    name="penstock",
    help="""A message broker and data pipeline for Python teams.

    `penstock up` starts all of it on this machine, with something going on to look at.
    `penstock COMMAND --help` explains a command.
    """,
    no_args_is_help=True,
    # Rich tracebacks show local variables, and a password may be among them.
    pretty_exceptions_enable=False,
)

#: What `penstock --help` lists under which heading: what a newcomer needs first.
HEADINGS: Final[Mapping[str, Sequence[typer.Typer | Callable[..., None]]]] = {
    "Begin here": (up, demo, doctor, version),
    "Run one part of it": (broker, worker, gateway, panel, sample),
    "A broker, Penstock or RabbitMQ": (top, bench, queues, messages, users),
    "An application and its messages": (topology, contracts, outbox, dead_letters, schedules, reconcile),
    "Data, on Spark": (pipelines, event_log, replay, reports, spark),
    "Decentralised identifiers": (did,),
}
for heading, commands in HEADINGS.items():
    for each in commands:
        if isinstance(each, typer.Typer):
            app.add_typer(each, rich_help_panel=heading)
        else:
            app.command(rich_help_panel=heading)(each)


def main() -> None:
    """What `penstock` and `python -m penstock` run."""
    if os.environ.pop(CHILD, None) is not None:
        end_with_parent()
    app(prog_name="penstock")
