"""Whole gateways: several on one broker, clients that come again, heartbeats, restarts."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from penstock.errors import CannotListen
from penstock.settings.address import Address
from penstock.workers.gateway import Gateway, GatewaySettings, Sender, Session
from penstock.workers.gateway.welcoming import NO_SESSION
from tests.client.support import until
from tests.workers.gateway.support import gateway_on, opened_broker, policy, talk

if TYPE_CHECKING:
    from tests.servers.running import Running


def test_a_client_resumes_at_another_gateway_with_all_that_it_missed(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with (
            opened_broker(mq_url) as broker,
            gateway_on(broker, f"{name}-a") as a,
            gateway_on(broker, f"{name}-b") as b,
        ):
            user, room, sender = f"user of {name}", f"planet:{name}", Sender(broker)
            async with talk(a.port, user) as client:
                assert client.opened["resumed"] == "new"
                await client.ask("/room/join", room=room)
                await sender.to_user(user, "/seen", 0)
                mark = (await client.next())["id"]
            for number in range(1, 4):
                await sender.to_user(user, "/missed", number)
                await sender.to_room(room, "/said", number)
            await sender.to_room(f"{room}2", "/said", "elsewhere")
            await until(lambda: b.counters.heard >= 9)
            async with talk(b.port, user, mark=mark, rooms=[room]) as client:
                assert (client.opened["resumed"], client.opened["rooms"]) == ("whole", {room: 200})
                told = [await client.next() for _ in range(client.opened["missed"])]
                assert [each["content"] for each in told] == [1, 1, 2, 2, 3, 3]
                await sender.to_room(room, "/said", "live")
                assert (await client.next())["content"] == "live"

    asyncio.run(story())


def test_a_client_that_has_seen_nothing_yet_resumes_from_where_it_came_in() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker, "a") as a, gateway_on(broker, "b") as b:
            sender = Sender(broker)
            async with talk(a.port) as client:
                mark = client.opened["mark"]
            await sender.to_user(3, "/missed", 1)
            await until(lambda: b.counters.heard >= 2)
            async with talk(b.port, mark=mark) as client:
                assert client.opened["resumed"] in {"whole", "gap"}
                assert (await client.next())["content"] == 1

    asyncio.run(story())


def test_whoever_comes_with_an_unknown_mark_is_told_of_the_gap() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway:
            async with talk(gateway.port, mark="long ago") as client:
                assert client.opened["resumed"] == "gap"
            assert (gateway.counters.resumed, gateway.counters.gaps) == (1, 1)

    asyncio.run(story())


def test_a_gateway_that_starts_again_under_its_name_has_its_history_again(
    mq_url: str | None, name: str
) -> None:
    async def story() -> None:
        async with opened_broker(mq_url) as broker:
            user, sender = f"user of {name}", Sender(broker)
            async with gateway_on(broker, name) as gateway, talk(gateway.port, user) as client:
                await sender.to_user(user, "/x", 1)
                mark = (await client.next())["id"]
                await sender.to_user(user, "/x", 2)
                await client.next()
            await sender.to_user(user, "/x", 3)
            async with gateway_on(broker, name) as gateway, talk(gateway.port, user, mark=mark) as client:
                assert client.opened["resumed"] == "whole"
                assert [(await client.next())["content"] for _ in range(2)] == [2, 3]

    asyncio.run(story())


def test_the_history_comes_again_after_a_loss_of_the_broker_and_clients_notice_nothing(
    penstock_server: Running, name: str
) -> None:
    async def story() -> None:
        async with opened_broker(penstock_server.url) as broker, gateway_on(broker, name) as gateway:
            user, sender, links = f"user of {name}", Sender(broker), broker.client._links
            async with talk(gateway.port, user) as client:
                await sender.to_user(user, "/x", 1)
                mark = (await client.next())["id"]
                before = links.main.connection
                assert before is not None
                before.transport.abort()
                await until(lambda: broker.is_connected and links.main.connection is not before)
                await sender.to_user(user, "/x", 2)
                assert (await client.next())["content"] == 2
            async with talk(gateway.port, user, mark=mark) as client:
                assert client.opened["resumed"] == "whole"

    asyncio.run(story())


def test_heartbeats_bring_young_marks_and_end_sessions_that_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # Between any two there is time for others.
    monkeypatch.setattr("penstock.workers.gateway.gateway.AT_ONCE", 1)

    async def story() -> None:
        ends = [0.0]
        decided = policy(check_token=lambda token: Session(user_id=3, until=ends[0] or 2e10))
        async with (
            opened_broker() as broker,
            gateway_on(broker, decided=decided, heartbeat=0.05) as gateway,
            talk(gateway.port) as client,
        ):
            first = client.opened["mark"]
            marks = {first}
            # Nobody says anything, so the gateway does.
            while len(marks) < 3:
                beat = json.loads(await asyncio.wait_for(client.socket.recv(), 60))
                assert beat["route"] == "/gateway/heartbeat"
                marks.add(beat["content"]["mark"])
            assert gateway.counters.connected == 1
            ends[0] = broker.clock.now() + 0.01
            async with talk(gateway.port, code="c2") as other:
                assert (await other.closed())[0] == NO_SESSION

    asyncio.run(story())


def test_other_channels_are_heard_too() -> None:
    async def story() -> None:
        settings = GatewaySettings(address=Address("127.0.0.1", 0), name="a", channels=("ps_building",))
        async with (
            opened_broker() as broker,
            Gateway(broker, policy(), settings) as gateway,
            talk(gateway.port) as client,
        ):
            message = {"route": "/building/upgraded", "user_id": 3, "content": {"building_id": 4573}}
            assert await gateway._fan.publish("ps_building", message)
            assert (await client.next())["content"] == {"building_id": 4573}

    asyncio.run(story())


def test_pages_of_others_may_not_connect_and_too_many_may_not_either() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker, connections=1) as gateway:
            url = f"ws://127.0.0.1:{gateway.port}/ws"
            with pytest.raises(InvalidStatus, match="403"):
                await connect(url, origin=Origin("https://evil.example"))
            async with talk(gateway.port):
                with pytest.raises(InvalidStatus, match="503"):
                    await connect(url)
            assert gateway.counters.turned_away == 2

    asyncio.run(story())


def test_the_module_is_served_and_health_is_told() -> None:
    def get(url: str) -> bytes:
        with urlopen(url, timeout=60) as page:  # noqa: S310  ours
            found: bytes = page.read()
        return found

    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway:
            here = f"http://127.0.0.1:{gateway.port}"
            assert await asyncio.to_thread(get, f"{here}/health") == b"ok\n"
            assert b"export function connect" in await asyncio.to_thread(get, f"{here}/penstock.js")

    asyncio.run(story())


def test_an_address_that_is_taken_is_told_and_nothing_is_left_behind() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker, "a") as gateway:
            settings = GatewaySettings(address=Address("127.0.0.1", gateway.port), name="b")
            with pytest.raises(CannotListen, match="cannot be listened on"):
                await Gateway(broker, policy(), settings).start()
            assert "ps_websocket_a: connected 0" in repr(gateway)

    asyncio.run(story())


def test_a_gateway_says_farewell_to_its_clients() -> None:
    async def story() -> None:
        async with opened_broker() as broker:
            gateway = Gateway(broker, policy(), GatewaySettings(address=Address("127.0.0.1", 0), name="a"))
            assert gateway.port == 0
            await gateway.start()
            async with talk(gateway.port) as client:
                await gateway.stop()
                assert (await client.closed())[0] == 1001

    asyncio.run(story())
