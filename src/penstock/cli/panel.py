"""`penstock panel`: the panel by itself, before a broker elsewhere: RabbitMQ, or another Penstock."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
import signal
from typing import Annotated, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.logs import set_up_logs
from penstock.cli.management import HERE, ManagementApi
from penstock.cli.options import ApiOption
from penstock.cli.parts import PANEL, missing
from penstock.cli.supervising import READY
from penstock.errors import BadSetting, PanelMissing
from penstock.settings import Settings
from penstock.settings.address import Address

__all__ = ["panel"]

#: Beside RabbitMQ's own, which may be on the same machine.
LISTEN: Final = "localhost:15670"

ListenOption = Annotated[
    str, typer.Option("--listen", metavar="HOST:PORT", help="Where it listens; port 0 is any that is free.")
]
HostOption = Annotated[
    list[str] | None,
    typer.Option("--host", metavar="NAME", help="A name by which browsers reach it; repeat it. * is any."),
]


def panel(*, management: ApiOption = HERE, listen: ListenOption = LISTEN, hosts: HostOption = None) -> None:
    """Serve the panel's pages before a broker elsewhere, until asked to stop (Ctrl-C, or the signal TERM).

    Its questions are handed on to that broker's management API, RabbitMQ's plugin
    for one, with the name and password that the browser asks for. What only
    Penstock can tell is left out. A Penstock broker has the panel itself: see
    its setting panel.
    """
    with explained():
        if (why := missing(PANEL)) is not None:
            raise PanelMissing(f"no panel: {why}")
        set_up_logs()
        settings = Settings(panel=(_address(listen),), panel_hosts=tuple(hosts or ()), amqp=())
        asyncio.run(_serve(ManagementApi(management), settings))


def _address(text: str) -> Address:
    try:
        return Address.read(text)
    except ValueError as exc:
        raise BadSetting(f"listen: {exc}", setting="listen") from exc


async def _serve(api: ManagementApi, settings: Settings) -> None:
    # What it stands on is not everybody's to have.
    from penstock.panel.elsewhere import ElsewhereDesk  # noqa: PLC0415
    from penstock.panel.serving import PanelServer  # noqa: PLC0415

    server = PanelServer(ElsewhereDesk(api.place), settings)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await server.start()
    try:
        print(f"{READY}: {' '.join(server.urls)}/ before {api.place}", flush=True)
        await stop.wait()
    finally:
        await server.close()
