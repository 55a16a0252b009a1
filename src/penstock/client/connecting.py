"""How a client is made: parsed, dialed, greeted, and ready when it is handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.client import Client
from penstock.client.settings import ClientSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client.dialing import Dial
    from penstock.clock import Clock

__all__ = ["connect"]


async def connect(
    url: str | Sequence[str],
    *,
    dial: Dial | None = None,
    settings: ClientSettings | None = None,
    clock: Clock | None = None,
) -> Client:
    """A client that is connected.

    Args:
        url: Where the broker is; several are the nodes of one cluster and tried in turn.
        dial: Opens the sockets instead of TCP or TLS; the URL then only says as whom to come.
        settings: How it behaves.
        clock: What backoffs and the deadlines of publishes go by.

    Raises:
        BadUrl: a URL, or a file it names, cannot be used.
        LoginRefused: the broker does not let this user in.
        NotConnected: nobody answered, as often as the settings say.
    """
    client = Client([url] if isinstance(url, str) else url, dial, settings or ClientSettings(), clock)
    try:
        await client.open()
    except BaseException:
        await client.close(0)
        raise
    return client
