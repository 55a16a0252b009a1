"""`penstock did`: run a DID domain, and look after it."""

from __future__ import annotations

import typer

from penstock.cli.did_audit import audit
from penstock.cli.did_client import COMMANDS
from penstock.cli.did_demo import demo
from penstock.cli.did_neighbours import follow, invite, neighbours, undo
from penstock.cli.did_process import run
from penstock.cli.did_replay import replay
from penstock.cli.did_up import up

__all__ = ["did"]

did = typer.Typer(
    name="did",
    help="Run a DID domain, and whatever one does with DIDs.",
    no_args_is_help=True,
)
for heading, commands in {
    "Begin here": (demo,),
    "Your DIDs": COMMANDS,
    "A domain of yours": (up, follow, invite, undo, neighbours, replay, audit),
}.items():
    for command in commands:
        did.command(rich_help_panel=heading)(command)
did.command(hidden=True)(run)
