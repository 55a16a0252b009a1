"""The command line: all commands under one name, one file each."""

from __future__ import annotations

import typer

from penstock.cli.broker import broker
from penstock.cli.contracts import contracts
from penstock.cli.dead_letters import dead_letters
from penstock.cli.demo import demo
from penstock.cli.did import did
from penstock.cli.doctor import doctor
from penstock.cli.event_log import event_log
from penstock.cli.gateway import gateway
from penstock.cli.outbox import outbox
from penstock.cli.pipelines import pipelines
from penstock.cli.reconcile import reconcile
from penstock.cli.replay import replay
from penstock.cli.reports import reports
from penstock.cli.spark import spark
from penstock.cli.topology import topology
from penstock.cli.version import version
from penstock.cli.worker import worker

__all__ = ["app", "main"]

app = typer.Typer(
    name="penstock",
    help="A message broker and data pipeline for Python teams.",
    no_args_is_help=True,
    add_completion=False,
    # Rich tracebacks show local variables, and a password may be among them.
    pretty_exceptions_enable=False,
)
app.command()(broker)
app.command()(demo)
app.command()(doctor)
app.command()(gateway)
app.command()(reconcile)
app.command()(replay)
app.command()(reports)
app.command()(version)
app.command()(worker)
app.add_typer(contracts)
app.add_typer(dead_letters)
app.add_typer(did)
app.add_typer(event_log)
app.add_typer(outbox)
app.add_typer(pipelines)
app.add_typer(spark)
app.add_typer(topology)


def main() -> None:
    """What `penstock` and `python -m penstock` run."""
    app(prog_name="penstock")
