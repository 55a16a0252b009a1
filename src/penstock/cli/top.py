"""`penstock top`: a broker, live in the terminal: what flows, what waits, who is there."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
import signal
from contextlib import suppress
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.live import Live

from penstock.cli.errors import explained
from penstock.cli.management import HERE, ManagementApi, asked
from penstock.cli.options import ApiOption, JsonOption
from penstock.cli.printing import print_json
from penstock.cli.top_view import ORDERS, Snapshot, drawn
from penstock.clock import SystemClock, sleep
from penstock.errors import ManagementMissing

__all__ = ["top"]

#: What is asked of each queue: a broker with thousands has a lot more to tell.
COLUMNS = ",".join(
    (
        *("name", "vhost", "state", "messages", "messages_ready", "messages_unacknowledged", "consumers"),
        *("messages_details.rate", "message_stats.publish_details.rate"),
        *("message_stats.deliver_get_details.rate", "message_stats.ack_details.rate"),
    )
)

EveryOption = Annotated[
    float, typer.Option("--every", metavar="SECONDS", min=0.2, help="How often it looks.")
]
OnceOption = Annotated[bool, typer.Option("--once", help="Look once, print, and end.")]
SortOption = Annotated[
    Literal["messages", "ready", "unacked", "in", "out", "name"],
    typer.Option(
        "--sort", metavar="COLUMN", help="Which queues stand first: messages, ready, unacked, in, out, name."
    ),
]
LinesOption = Annotated[
    int | None, typer.Option("--lines", metavar="N", min=1, help="Queues that are shown; else what fits.")
]


def top(
    *,
    every: EveryOption = 1.0,
    once: OnceOption = False,
    sort: SortOption = "messages",
    lines: LinesOption = None,
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Watch a broker: rates, depths, the fullest queues, connections; until Ctrl-C.

    Where nobody watches, in a pipe, it prints one look; so does --once.
    """
    with explained(), asked(management) as api:
        console = Console(highlight=False)
        if as_json:
            print_json(snapshot(api).as_fields(sort))
        elif once or not console.is_terminal:
            console.print(drawn(snapshot(api), sort, lines or len(ORDERS) * 10))
        else:
            asyncio.run(_watch(api, console, every, sort, lines))


def snapshot(api: ManagementApi) -> Snapshot:
    """One look at a broker.

    Raises:
        ManagementMissing, NotPermitted, BrokerRefused: it cannot be seen.
    """
    overview: dict[str, Any] = api.get("overview")
    found = api.get("queues", columns=COLUMNS)
    return Snapshot(
        place=str(api.place), overview=overview, queues=found["items"] if isinstance(found, dict) else found
    )


async def _watch(api: ManagementApi, console: Console, every: float, sort: str, lines: int | None) -> None:
    watching = asyncio.create_task(_look_again(api, console, every, sort, lines))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, watching.cancel)
    with suppress(asyncio.CancelledError):
        await watching


async def _look_again(
    api: ManagementApi, console: Console, every: float, sort: str, lines: int | None
) -> None:
    clock = SystemClock()
    seen = await asyncio.to_thread(snapshot, api)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            live.update(drawn(seen, sort, lines or max(console.height - 9, 1)), refresh=True)
            await sleep(clock, every)
            try:
                seen = await asyncio.to_thread(snapshot, api)
            except ManagementMissing as exc:
                # It may come back: what was seen last stays, and why it is old.
                seen = seen.lost(str(exc))
