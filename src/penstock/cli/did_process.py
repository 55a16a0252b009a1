"""`penstock did run`: one of the processes that `penstock did up` starts, of each kind; for nobody else.

What it is to do stands in the environment, since it holds secrets and a command line is everybody's to read.
Each ends with its standard input, or on the signal TERM, in good order.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from penstock.cli.errors import explained
from penstock.cli.logs import set_up_logs, set_up_spans
from penstock.cli.supervising import READY, Program, end_with_parent
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.did.domain.places import Places
    from penstock.pipelines.declared import Pipeline

__all__ = ["BROKER", "BROKER_USER", "DOMAIN", "PIPELINES", "Order", "program", "run"]

BROKER: Final = "broker"
DOMAIN: Final = "domain"
PIPELINES: Final = "pipelines"
#: Whom the broker lets in.
BROKER_USER: Final = "penstock"
#: What the process is to do, as JSON.
ORDER: Final = "PENSTOCK_DID_ORDER"

KindArgument = Annotated[str, typer.Argument(metavar="KIND", show_default=False)]
#: For those who look at the machine's processes.
NameArgument = Annotated[str, typer.Argument(metavar="NAME", show_default=False)]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a process is to do; each kind has a use for some of it."""

    #: Places as JSON.
    domains: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    #: The socket to serve, as the number of an open file.
    bound: int = -1
    #: A folder for what it keeps.
    data: str = ""
    #: Where a broker listens, and the password of its user.
    address: str = ""
    password: str = ""
    #: Where Spark works.
    master: str = ""
    #: Whether the broker may be another than Penstock, which has no readers.
    is_foreign: bool = False
    #: Whether the sample's pipeline runs, too.
    with_sample: bool = False

    @property
    def places(self) -> list[Places]:
        """Where its domains are."""
        from penstock.did.domain.places import Places  # noqa: PLC0415 (each kind loads what it needs)

        return [Places.from_json(each) for each in self.domains]


def program(kind: str, order: Order, *, name: str, log: Path) -> Program:
    """The program that does that."""
    return Program(
        name=name,
        arguments=[sys.executable, "-m", "penstock", "did", "run", kind, name],
        log=log,
        environment={ORDER: msgspec.json.encode(order).decode()},
        files=[order.bound] if order.bound >= 0 else [],
    )


def run(kind: KindArgument, name: NameArgument) -> None:
    """Be one of the processes that `penstock did up` starts."""
    with explained():
        told = os.environ.pop(ORDER, None)
        if told is None or kind not in KINDS:
            raise BadSetting("this is for `penstock did up` alone: run that", setting="kind")
        order = msgspec.json.decode(told, type=Order)
        set_up_logs()
        set_up_spans(f"penstock did {kind}")
        end_with_parent()
        KINDS[kind](order)


def _run_broker(order: Order) -> None:
    from penstock.server.main import serve  # noqa: PLC0415 (each kind loads what it needs)
    from penstock.settings import load  # noqa: PLC0415

    user = {"default_user": BROKER_USER, "default_password": order.password}
    serve(load(arguments={"data": order.data, "amqp": order.address, **user}))


def _run_domain(order: Order) -> None:
    import uvloop  # noqa: PLC0415 (as above)

    uvloop.run(_serve(order))


async def _serve(order: Order) -> None:
    from penstock.did.domain import Domain  # noqa: PLC0415 (as above)
    from penstock.did.web import WebServer  # noqa: PLC0415

    serving, stop = asyncio.current_task(), asyncio.Event()
    assert serving is not None  # noqa: S101 (it runs this)
    [places] = order.places
    # What a domain needs may be away for long: nobody who wants to end it waits for that, too.
    _on_signals(serving.cancel)
    with suppress(asyncio.CancelledError):
        async with Domain(places, roles=order.roles) as domain:
            _on_signals(stop.set)
            server = WebServer(domain.site, socket.socket(fileno=order.bound))
            await server.start()
            try:
                _say_ready()
                await stop.wait()
            finally:
                await server.stop()


def _on_signals(call: Callable[[], object]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, call)


def _run_pipelines(order: Order) -> None:
    from penstock.cli.did_pipelines import run_pipelines  # noqa: PLC0415 (as above)

    data = Path(order.data)
    spool = data / "spool" if order.is_foreign else None
    run_pipelines(
        order.places,
        data,
        master=order.master,
        spool=spool,
        tell_ready=_say_ready,
        more=_sample_pipelines() if order.with_sample else (),
    )


def _sample_pipelines() -> Sequence[Pipeline]:
    from penstock.pipelines.sample import gauges  # noqa: PLC0415 (as above)

    return [gauges]


KINDS: Final[Mapping[str, Callable[[Order], None]]] = {
    BROKER: _run_broker,
    DOMAIN: _run_domain,
    PIPELINES: _run_pipelines,
}


def _say_ready() -> None:
    print(READY, flush=True)
