"""A domain's HTTP in a process of its own, to be killed.

python -m tests.did.web.app PLACES PORT
"""

from __future__ import annotations

import asyncio
import socket
import sys

import uvloop

from penstock.did.domain import WEB, Domain, Places
from penstock.did.web import WebServer


async def serve(places: Places, port: int) -> None:
    bound = socket.socket()
    # Whoever starts it holds the port, too.
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(("127.0.0.1", port))
    async with Domain(places, roles=[WEB]) as domain:
        await WebServer(domain.site, bound).start()
        await asyncio.Event().wait()


def run() -> None:
    places, port = sys.argv[1:]
    uvloop.run(serve(Places.from_json(places), int(port)))


if __name__ == "__main__":
    run()
