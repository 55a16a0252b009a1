"""What `penstock gateway` runs: a broker's client, a gateway on it, and what the machine must allow."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import ssl
from typing import TYPE_CHECKING, Final

import typer
import uvloop

from penstock.cli.logs import set_up_logs, set_up_spans
from penstock.cli.supervising import READY
from penstock.errors import BadSetting
from penstock.messaging import MessagingSettings, open_amqp_broker
from penstock.workers.gateway import Gateway

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.workers.gateway import GatewaySettings, Policy

__all__ = ["allow_open_files", "run_gateway", "tls_context"]

#: Objects that are made before the youngest are looked through.
COLLECT_AFTER: Final = 10_000


def run_gateway(
    url: str | None, policy: Policy, settings: GatewaySettings, *, certificate: Path | None, key: Path | None
) -> None:
    """Run a gateway until it is asked to stop.

    Raises:
        BadSetting: something cannot be used like that.
        CannotListen: the address is taken.
        ClientError: the broker cannot be reached.
    """
    tls = None if certificate is None else tls_context(certificate, key)
    set_up_logs()
    set_up_spans("penstock gateway")
    allow_open_files()
    # Each client is some hundred objects that live long: looking through them all often holds up everybody.
    gc.set_threshold(COLLECT_AFTER, 20, 100)
    uvloop.run(_serve(url, policy, settings, tls))


async def _serve(
    url: str | None, policy: Policy, settings: GatewaySettings, tls: ssl.SSLContext | None
) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    broker = await open_amqp_broker(url, settings=MessagingSettings.from_environment(os.environ))
    try:
        async with Gateway(broker, policy, settings, tls=tls) as gateway:
            where = f"{settings.address.host or '*'}:{gateway.port}"
            typer.echo(f"{READY}: {'ws' if tls is None else 'wss'}://{where}/ws")
            await stop.wait()
    finally:
        await broker.close()


def allow_open_files() -> None:
    """Have as many files open as the machine allows: each client is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def tls_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """What a listener with TLS uses.

    Raises:
        BadSetting: a file is missing, or no such thing.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except OSError as exc:
        raise BadSetting(
            f"certificate {certificate} and its key cannot be used: {exc}", setting="certificate"
        ) from exc
    return context
