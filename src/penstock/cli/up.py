"""`penstock up`: everything on this machine in one go, with something flowing through it."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.ports import hold_first_free, told_taken
from penstock.cli.up_folder import UpFolder
from penstock.cli.up_programs import Places
from penstock.cli.up_running import Up, Wishes
from penstock.errors import BadSetting

__all__ = ["up"]

DATA: Final = Path(".penstock")
#: All cores; and a task whose Python dies is tried again.
MASTER: Final = "local[*,4]"
#: Customary ports, as the fields of Places.
PORTS: Final = {"amqp": 5672, "beanstalk": 11300, "websocket": 15674, "panel": 15672}

#: A port is held without listening, so another program may still be quicker to listen there.
TRIES: Final = 3

DataOption = Annotated[Path, typer.Option("--data", metavar="FOLDER", help="Where everything is kept.")]
SampleOption = Annotated[
    bool, typer.Option("--sample/--no-sample", help="Whether a sample load flows through it.")
]
SparkOption = Annotated[bool, typer.Option("--spark/--no-spark", help="Whether Spark is started, too.")]
DidOption = Annotated[bool, typer.Option("--did/--no-did", help="Whether there is a DID domain.")]
OpenOption = Annotated[bool, typer.Option("--open", help="Open the panel in a browser.")]
MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="Where Spark works: local[2], spark://host:7077, …")
]


def up(
    *,
    data: DataOption = DATA,
    sample: SampleOption = True,
    spark: SparkOption = True,
    did: DidOption = True,
    open_panel: OpenOption = False,
    master: MasterOption = MASTER,
) -> None:
    """Run everything on this machine until asked to stop (Ctrl-C, or the signal TERM).

    A broker (AMQP, beanstalk, WebSocket), its panel, workers, a DID domain and
    Spark, with a sample load flowing through all of it. What dies is started
    again. Only this machine reaches it; the user is guest, the password guest.

    A second start with the same --data finds everything again. A port that is
    taken is passed over for the next one, which is told.
    """
    wishes = Wishes(sample=sample, did=did, master=master if spark else "", open_panel=open_panel)
    folder = UpFolder(data)
    with explained(), folder.held():
        for tries_left in reversed(range(TRIES)):
            if _ran(folder, wishes, is_last=not tries_left):
                return
            print("somebody has taken a port just now: once more", flush=True)


def _ran(folder: UpFolder, wishes: Wishes, *, is_last: bool) -> bool:
    """Run it to its end; whether it could, or lost a port before it listened there.

    Raises:
        BadSetting: it cannot be run like that.
    """
    with ExitStack() as opened:
        held = {name: opened.enter_context(closing(hold_first_free(port))) for name, port in PORTS.items()}
        for name, each in held.items():
            if each.passed_over:
                print(f"{told_taken(each.passed_over)}: {name} is {each.port}", flush=True)
        try:
            asyncio.run(Up(folder, Places(**held), wishes, opened).run())
        except BadSetting:
            if is_last or not any(each.is_lost() for each in held.values()):
                raise
            return False
    return True
