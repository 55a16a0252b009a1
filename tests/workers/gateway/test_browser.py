"""The browser's module in a real browser: requests, rooms, refusals, and a gateway that goes away."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from penstock.errors import RequestRefused
from penstock.messaging import Destination, Message
from penstock.settings.address import Address
from penstock.workers.gateway import ClientRoute, Gateway, GatewaySettings, Sender, Session, content_of
from tests.workers.gateway.support import SOON, TOKENS, opened_broker, policy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.gateway import Request

PAGE = """<!doctype html>
<script type="module">
import { connect } from "http://127.0.0.1:FIRST/penstock.js";

const urls = ["ws://127.0.0.1:FIRST/ws", "ws://127.0.0.1:SECOND/ws"];
const gateway = connect(urls, { token: async () => "TOKEN" });
const seen = [], events = [];
const report = (step) => gateway.request("/report", { step, seen, events });
for (const name of ["open", "lost", "gap", "refused"]) gateway.on(name, () => events.push(name));
gateway.on("/user", (content) => { seen.push(content); report("seen"); });

const leave = await gateway.join("planet:5", (message) => { seen.push(message.content); report("seen"); });
seen.push(await gateway.request("/echo", { x: 1 }), await gateway.request("/busy"));
for (const wrong of [() => gateway.request("/nope"), () => gateway.join("admins", () => {})])
  try { await wrong(); } catch (error) { seen.push([error.name, error.status]); }
const later = gateway.request("/starmap/getMapChunk", {}).catch((error) => error.message);
await report("ready");
seen.push(await later);
const missed = gateway.request("/starmap/getMapChunk", {});
await report("asked");
seen.push(await missed);
await leave();
await report("over");
</script>
"""
#: Nothing but loopback.
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
)


class Reports:
    """What the page has told, through the gateway that it tests."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []
        self.refused = 0

    def answer(self, _session: Session, request: Request) -> bool:
        self.all.append(content_of(request))
        return True

    def answer_at_last(self, _session: Session, _request: Request) -> str:
        """As while the broker is away for a moment."""
        self.refused += 1
        if self.refused == 1:
            raise RequestRefused("not now", status=503)
        return "at last"

    async def first(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        async with asyncio.timeout(SOON):
            while True:
                for report in self.all:
                    if fits(report):
                        return report
                await asyncio.sleep(0.01)


@asynccontextmanager
async def served(page: list[str]) -> AsyncIterator[int]:
    """A server whose every page is that one, once it is written."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = page[0].encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def browser(program: Path, folder: Path, url: str) -> AsyncIterator[None]:
    with (folder / "chromium.log").open("wb") as log:
        child = await asyncio.create_subprocess_exec(
            program,
            *FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            url,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()


def gateway_for(broker: AmqpBroker, reports: Reports, name: str, page_port: int, port: int = 0) -> Gateway:
    routes = {
        "/report": ClientRoute(answer=reports.answer),
        "/busy": ClientRoute(answer=reports.answer_at_last),
        "/echo": ClientRoute(answer=lambda _, request: content_of(request)),
        "/starmap/getMapChunk": ClientRoute(queue="bg_starmap"),
    }
    origins = frozenset({f"http://127.0.0.1:{page_port}"})
    settings = GatewaySettings(address=Address("127.0.0.1", port), name=name, origins=origins)
    return Gateway(broker, policy(routes=routes), settings)


def test_a_page_asks_joins_loses_its_gateway_and_misses_nothing(
    real_program: Callable[[str], Path], tmp_path: Path
) -> None:
    program = real_program("chromium")

    async def story() -> None:
        page, reports = [""], Reports()
        async with opened_broker() as broker, served(page) as port:
            first, second = (gateway_for(broker, reports, name, port) for name in "ab")
            async with AsyncExitStack() as opened:
                await opened.enter_async_context(second)
                await first.start()
                text = PAGE.replace("FIRST", str(first.port)).replace("SECOND", str(second.port))
                page[0] = text.replace("TOKEN", TOKENS.issue(3))
                async with browser(program, tmp_path, f"http://127.0.0.1:{port}/"):
                    ready = await reports.first(lambda each: each["step"] == "ready")
                    assert ready["seen"] == [{"x": 1}, "at last", ["Refused", 404], ["Refused", 404]]
                    sender = Sender(broker)
                    await sender.to_user(3, "/user", "one")
                    await reports.first(lambda each: "one" in each["seen"])
                    await first.stop()
                    await sender.to_user(3, "/user", "two")
                    await sender.to_room("planet:5", "/said", "three")
                    found = await reports.first(lambda each: "three" in each["seen"])
                    assert found["seen"][4:] == ["one", "two", "three"]
                    assert found["events"] == ["open", "lost", "open"]
                    job = await broker.fetch("bg_starmap")
                    assert job is not None
                    body = b'{"status": 400, "message": "off its boundary"}'
                    await answer(broker, body, job.message.id)
                    job.ack()
                    asked = await reports.first(lambda each: each["step"] == "asked")
                    assert asked["seen"][7:] == ["off its boundary"]
                    # When a gateway takes over that cannot know what was missed
                    third = gateway_for(broker, reports, "c", port, second.port)
                    await second.stop()
                    await opened.enter_async_context(third)
                    jobs = [await taken(broker) for _ in range(2)]
                    assert len(set(jobs)) == 1, "what was asked once before the loss, and once after"
                    await answer(broker, b'{"content": "whole again"}', jobs[0])
                    over = await reports.first(lambda each: each["step"] == "over")
                    assert over["seen"][8:] == ["whole again"]
                    assert over["events"][-2:] == ["gap", "open"]

    asyncio.run(story())


async def answer(broker: AmqpBroker, body: bytes, job_id: str) -> None:
    await broker.publish(Message(body=body, correlation_id=job_id), Destination.queue("fg_websocket"))


async def taken(broker: AmqpBroker) -> str:
    """The id of a job that comes soon."""
    async with asyncio.timeout(SOON):
        while (job := await broker.fetch("bg_starmap")) is None:  # noqa: ASYNC110  the page's to send
            await asyncio.sleep(0.01)
    job.ack()
    return job.message.id
