"""Connections that do not behave, and what becomes of them."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from penstock.errors import BadToken
from penstock.workers.gateway import ClientRoute, Gateway, Sender, Session
from penstock.workers.gateway.client import TOO_SLOW
from penstock.workers.gateway.welcoming import NO_SESSION, TOO_MANY
from tests.client.support import until
from tests.workers.gateway.support import TOKENS, Talk, gateway_on, opened_broker, policy, talk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def on_a_gateway(story: Callable[[Gateway], Awaitable[None]], **how: Any) -> None:
    async def run() -> None:
        async with opened_broker() as broker, gateway_on(broker, **how) as gateway:
            await story(gateway)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("frame", "status", "told"),
    [
        (json.dumps({"route": "/starmap/getMapChunk"}), 401, "open a session first"),
        (json.dumps({"route": "/session/open", "content": {}}), 400, "wants a token"),
        (
            json.dumps({"route": "/session/open", "content": {"token": "forged.token"}}),
            401,
            "no session token",
        ),
        ("rubbish", 400, "this is no request"),
        (b"\x00", 400, "binary"),
    ],
    ids=range(5),
)
def test_whoever_has_no_session_is_told_why_and_closed(frame: str | bytes, status: int, told: str) -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port, user=None) as client:
            await client.socket.send(frame)
            reply = await client.next()
            assert reply["status"] == status
            assert told in reply["message"]
            assert (await client.closed())[0] == NO_SESSION
        await until(lambda: gateway.counters.turned_away == 1)

    on_a_gateway(story)


def test_whoever_says_nothing_is_closed() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port, user=None) as client:
            assert await client.closed() == (NO_SESSION, "no session was opened in time")

    on_a_gateway(story, open_within=0.05)


def test_the_applications_own_function_says_who_comes_in() -> None:
    async def check(token: str) -> Session:
        if token != "sesame":  # noqa: S105  the tale's
            raise BadToken("no")
        return Session(user_id="ali")

    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port, user=None) as client:
            reply = await client.ask("/session/open", {"token": "sesame"})
            assert reply["content"]["user_id"] == "ali"

    on_a_gateway(story, decided=policy(check_token=check))


def test_bad_input_is_answered_and_nobody_else_notices() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port, user=4) as other, talk(gateway.port) as client:
            for frame in ("{", b"\x00", '{"route":7}', '{"route":"/x","content":"' + "x" * 70_000 + '"}'):
                await client.socket.send(frame)
            assert [(await client.next())["status"] for _ in range(4)] == [400, 400, 400, 413]
            assert (await client.ask("/room/join", room="planet:5"))["status"] == 200
            assert (await other.ask("/room/join", room="planet:5"))["status"] == 200

    on_a_gateway(story)


def test_what_is_much_too_large_ends_the_connection_with_the_standards_code() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port) as client:
            await client.socket.send("x" * 300_000)
            assert (await client.closed())[0] == 1009

    on_a_gateway(story)


def test_too_many_requests_are_refused_and_whoever_goes_on_is_closed() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port) as client:
            for _ in range(10):
                await client.send("/room/leave", room="x")
            # The seventh is one too many, again and again: it is not answered.
            assert [(await client.next())["status"] for _ in range(6)] == [200] * 3 + [429] * 3
            assert (await client.closed())[0] == TOO_MANY
        assert gateway.counters.died == 0

    on_a_gateway(story, pace=0.001, burst=3)


def test_a_user_has_so_many_connections_at_most() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port), talk(gateway.port, user=None) as second, talk(gateway.port, user=4):
            reply = await second.ask("/session/open", {"token": TOKENS.issue(3)})
            assert (reply["status"], reply["message"]) == (429, "the user has too many connections")
            assert (await second.closed())[0] == TOO_MANY

    on_a_gateway(story, connections_of_a_user=1)


def test_a_mistake_of_the_application_is_told_without_its_details(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the password is 1234")

    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port) as client:
            reply = await client.ask("/x", msgId=1)
            assert (reply["status"], reply["msgId"]) == (500, 1)
            assert "1234" not in reply["message"]

    on_a_gateway(story, decided=policy(routes={"/x": ClientRoute(answer=fail)}))
    assert "the password is 1234" in caplog.text


def test_an_answer_that_takes_a_while_holds_up_nothing_else_that_the_client_asks() -> None:
    is_there, gone = asyncio.Event(), list[str]()

    async def slow(_session: Session, _request: object) -> str:
        try:
            await is_there.wait()
        except asyncio.CancelledError:
            gone.append("slow")
            raise
        return "at last"

    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port) as client:
            for each in "12":
                await client.send("/slow", msgId=each)
            refused = await client.ask("/slow", msgId="3")
            assert (refused["msgId"], refused["status"]) == ("3", 429)
            assert (await client.ask("/quick", msgId="4"))["content"] == "at once"
            is_there.set()
            told = [await client.next() for _ in range(2)]
            assert [(each["msgId"], each["status"], each["content"]) for each in told] == [
                ("1", 200, "at last"),
                ("2", 200, "at last"),
            ]
            is_there.clear()
            await client.send("/slow", msgId="5")
            await client.ask("/quick")
        # Whoever has gone asks again when it is back.
        await until(lambda: gone == ["slow"])

    routes = {
        "/slow": ClientRoute(answer=slow, waits=True),
        "/quick": ClientRoute(answer=lambda *_: "at once"),
    }
    on_a_gateway(story, decided=policy(routes=routes), waiting=2)


def test_a_client_that_never_reads_is_closed_and_holds_up_nobody() -> None:
    async def story(gateway: Gateway) -> None:
        sender = Sender(gateway._broker)
        async with talk(gateway.port, code="slow") as slow, talk(gateway.port, user=4) as other:
            slow.socket.transport.pause_reading()
            [connection] = gateway.clients.of_user("3")
            raw: socket.socket = connection._line._transport.get_extra_info("socket")  # type: ignore[attr-defined]
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            await until(lambda: gateway.counters.opened == 2)
            while not gateway.counters.too_slow:
                await sender.to_user(3, "/x", "x" * 60_000)
            await sender.to_user(4, "/y", {})
            assert (await other.next())["route"] == "/y"
            # It reads again: all that was sent before is there, and then why it ended.
            slow.socket.transport.resume_reading()
            assert (await slow.next())["route"] == "/x"
            with pytest.raises(ConnectionClosedError, match="bytes wait to be read"):
                await all_of(slow)
            assert (await slow.closed())[0] == TOO_SLOW

    on_a_gateway(story, unsent=100_000)


async def all_of(client: Talk) -> None:
    while True:
        await client.next()


def test_connections_that_end_without_a_farewell_are_counted() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port) as client:
            client.socket.transport.abort()
        await until(lambda: gateway.counters.died == 1)
        assert len(gateway.clients) == 0
        assert repr(gateway._welcome) == "<Welcome to <Clients: 0, at 0 places>, 0 closing>"

    on_a_gateway(story)


def test_a_broadcast_meets_clients_that_are_just_leaving_and_reaches_the_others() -> None:
    async def story(gateway: Gateway) -> None:
        async with talk(gateway.port, user=4) as staying:
            leaving = [await connect(f"ws://127.0.0.1:{gateway.port}/ws") for _ in range(5)]
            for socket in leaving:
                opening = {"token": TOKENS.issue(4)}
                await socket.send(json.dumps({"route": "/session/open", "content": opening}))
                await socket.recv()
            clients = list(gateway.clients.of_user("4"))
            for socket in leaving:
                await socket.close()
            # As if it had been heard before the gateway took note of their leaving.
            for client in clients:
                client.tell({"route": "/last"})
            assert (await staying.next())["route"] == "/last"

    on_a_gateway(story)
