"""How a socket to a broker is opened. TCP and TLS here; whoever has another way brings a Dial of its own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from penstock.errors import BadUrl

if TYPE_CHECKING:
    from penstock.client.endpoint import Endpoint

__all__ = ["Dial", "dial_url", "tls_context"]

#: Connects a protocol made by the factory, as `loop.create_connection` does.
Dial = Callable[
    [Callable[[], asyncio.Protocol]], Awaitable[tuple[asyncio.BaseTransport, asyncio.BaseProtocol]]
]


def dial_url(url: Endpoint) -> Dial:
    """The way to the host and port of a URL.

    Raises:
        BadUrl: a file that its TLS needs cannot be used.
    """
    context = tls_context(url) if url.is_tls else None
    server_name = (url.server_name or url.host) if url.is_tls else None

    async def dial(
        factory: Callable[[], asyncio.Protocol],
    ) -> tuple[asyncio.BaseTransport, asyncio.BaseProtocol]:
        loop = asyncio.get_running_loop()
        return await loop.create_connection(
            factory, url.host, url.port, ssl=context, server_hostname=server_name
        )

    return dial


def tls_context(url: Endpoint) -> ssl.SSLContext:
    """Whom we trust and who we are, as a URL says; by default the system's authorities, and nobody.

    Raises:
        BadUrl: a file is missing or of the wrong kind.
    """
    try:
        context = ssl.create_default_context(cafile=url.ca_file)
    except (OSError, ssl.SSLError) as exc:
        raise BadUrl(f"cacertfile {url.ca_file} cannot be used: {exc}") from exc
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if url.verify == "verify_none":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if url.certificate is not None:
        try:
            # Without a password OpenSSL would ask at the terminal, and the program would hang.
            context.load_cert_chain(url.certificate, url.key, password=lambda: "")
        except (OSError, ssl.SSLError, ValueError) as exc:
            raise BadUrl(f"certfile {url.certificate} with keyfile {url.key} cannot be used: {exc}") from exc
    return context
