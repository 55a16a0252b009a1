"""A bad network: a TCP proxy of the test's own that forwards, delays, cuts, or goes silent."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from enum import Enum
from typing import TYPE_CHECKING, Self

from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Weather(Enum):
    """What becomes of the bytes."""

    FINE = "fine"
    #: They arrive late, and in small pieces.
    SLOW = "slow"
    #: Nobody answers, and connections that were there are reset.
    CUT = "cut"
    #: Nothing arrives, and nobody is told: as behind a firewall that has forgotten its connections.
    SILENT = "silent"


#: Seconds that a piece takes in slow weather, and its bytes.
SLOW_S = 0.05
SLOW_BYTES = 512


class Proxy:
    """Stands between an application and a port, in a thread of its own. `with Proxy(port) as proxy`."""

    def __init__(self, port: int) -> None:
        self.port = free_port()
        self._to = port
        self._weather = Weather.FINE
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._lines: set[asyncio.StreamWriter] = set()
        #: Ends of connections that were there in silent weather: they never work again.
        self._forgotten: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._is_over = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._listen)
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def turn(self, weather: Weather) -> None:
        """From now on the network is like that."""

        async def turn() -> None:
            self._weather = weather
            if weather is Weather.CUT:
                self._reset_all()
            elif weather is Weather.SILENT:
                self._forgotten |= self._lines

        self._do(turn)

    def reset(self) -> None:
        """Every connection is gone at once; new ones are welcome."""

        async def reset() -> None:
            self._reset_all()

        self._do(reset)

    def _do(self, work: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            await work()

        asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, HOST, self.port)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        self._is_over.set()
        self._reset_all()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    def _reset_all(self) -> None:
        for line in self._lines:
            line.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._weather is Weather.CUT:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(HOST, self._to)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._lines |= ends
        if self._weather is Weather.SILENT:
            self._forgotten |= ends
        try:
            ways = [self._pump(reader, far_writer), self._pump(far_reader, writer)]
            pumps = [asyncio.ensure_future(way) for way in ways]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
        finally:
            self._lines -= ends
            self._forgotten -= ends
            for end in ends:
                end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(SLOW_BYTES if self._weather is Weather.SLOW else 1 << 16):
                if writer in self._forgotten:
                    continue
                if self._weather is Weather.SLOW:
                    await asyncio.sleep(SLOW_S)
                writer.write(data)
                await writer.drain()
        if writer in self._forgotten:
            # Not even the end of it is told to the other side.
            await self._is_over.wait()
