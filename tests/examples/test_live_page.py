"""The page of docs/tutorials/live-page.md in a real browser, with the job and the gateway of the tutorial."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from penstock.messaging import open_amqp_broker
from penstock.settings.address import Address
from penstock.workers import Worker
from penstock.workers.gateway import ClientRoute, Gateway, GatewaySettings, Policy, open_rooms
from tests.servers import chromium
from tests.test_docs import ROOT, blocks
from tests.workers.gateway.support import SOON, TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.workers import Routes

TUTORIAL = blocks((ROOT / "docs/tutorials/live-page.md").read_text())
POLICY = Policy(
    check_token=TOKENS,
    routes={"/building/upgrade": ClientRoute(queue="bg_building")},
    may_join=open_rooms(["planet:*"]),
)


def game() -> Routes:
    """The tutorial's game.py."""
    namespace: dict[str, Any] = {"__name__": "game"}
    exec(next(each.text for each in TUTORIAL if each.language == "python"), namespace)  # noqa: S102  our own
    found: Routes = namespace["routes"]
    return found


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and writes no log of it."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def pages(folder: Path) -> Iterator[int]:
    """`python -m http.server`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            serving.join()


class System:
    """Broker, worker and gateway, on a thread of their own."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._ready = threading.Event()
        self._end: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()))
        self.port = 0

    def __enter__(self) -> int:
        self._thread.start()
        assert self._ready.wait(SOON)
        return self.port

    def __exit__(self, *_: object) -> None:
        self._end()
        self._thread.join()

    async def _live(self) -> None:
        over, loop = asyncio.Event(), asyncio.get_running_loop()
        self._end = partial(loop.call_soon_threadsafe, over.set)
        async with AsyncExitStack() as opened:
            broker = await open_amqp_broker(None)
            opened.push_async_callback(broker.close)
            await opened.enter_async_context(Worker(game(), broker=broker))
            settings = GatewaySettings(address=Address("127.0.0.1", 0), origins=frozenset({self._origin}))
            gateway = await opened.enter_async_context(Gateway(broker, POLICY, settings))
            self.port = gateway.port
            self._ready.set()
            await over.wait()


def test_what_is_begun_in_one_window_is_seen_in_both(
    real_program: Callable[[str], Path], tmp_path: Path
) -> None:
    [page] = [each.text for each in TUTORIAL if each.language == "html"]
    (tmp_path / "token").write_text(f"{TOKENS.issue(3)}\n")
    with pages(tmp_path) as port, System(f"http://127.0.0.1:{port}") as gateway:
        (tmp_path / "index.html").write_text(page.replace("127.0.0.1:8100", f"127.0.0.1:{gateway}"))
        with (
            chromium.running(real_program("chromium"), tmp_path) as browser,
            browser.tab() as one,
            browser.tab() as other,
        ):
            for tab in (one, other):
                tab.go(f"http://127.0.0.1:{port}/")
                tab.wait("document.querySelector('button').onclick !== null")
            one.click("Upgrade the mine")
            one.wait("document.querySelector('progress').value > 0")
            for tab in (one, other):
                tab.see("Building 7 has reached level 2, thanks to 3.", "ul")
            one.see("level 2", "output")
            assert (one.troubles, other.troubles) == ([], [])
