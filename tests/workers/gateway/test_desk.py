"""What clients may ask for, and what they are told, on a gateway with a broker in this process."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Queue
from penstock.errors import NotConnected, RequestRefused
from penstock.workers import Job, Routes, Worker
from penstock.workers.gateway import ClientRoute, Request, Session, content_of
from tests.workers.gateway.support import gateway_on, opened_broker, policy, talk

if TYPE_CHECKING:
    from penstock.messaging import Message

CHUNK = {"sector": 0, "left": -50, "bottom": 250}


def test_a_request_becomes_a_job_and_its_result_comes_back_with_the_msg_id() -> None:
    routes = Routes("bg_starmap")

    @routes.route("/starmap/getMapChunk")
    async def get_map_chunk(job: Job[dict[str, int]]) -> dict[str, Any]:
        job.report("half")
        return {"left": job.content["left"], "for": job.user_id}

    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:
            taken = await client.ask("/starmap/getMapChunk", CHUNK, msgId="m1")
            assert (taken["status"], taken["msgId"]) == (202, "m1")
            async with Worker(routes, broker=broker):
                told = [await client.next(), await client.next()]
            assert [(each["status"], each["msgId"], each["content"]) for each in told] == [
                (102, "m1", "half"),
                (200, "m1", {"left": -50, "for": 3}),
            ]

    asyncio.run(story())


def test_a_job_that_fails_is_told_to_the_client_that_asked() -> None:
    routes = Routes("bg_starmap")

    @routes.route("/starmap/getMapChunk")
    async def get_map_chunk(job: Job[dict[str, int]]) -> None:
        raise RequestRefused("left is off its boundary", status=400)

    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:
            await client.ask("/starmap/getMapChunk", "no chunk at all", msgId=5)
            async with Worker(routes, broker=broker):
                told = await client.next()
            assert (told["status"], told["msgId"]) == (500, 5)
            assert "content" in told["message"]

    asyncio.run(story())


def test_the_job_says_who_asked_from_which_room_and_is_the_same_if_asked_again() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:
            await client.ask("/room/join", room="planet:5")
            for _ in range(2):
                await client.ask("/starmap/getMapChunk", CHUNK, msgId=1, room="planet:5")
            jobs = [await broker.fetch("bg_starmap") for _ in range(2)]
            assert [job is not None and json.loads(job.body) for job in jobs] == [
                {
                    "route": "/starmap/getMapChunk",
                    "user_id": 3,
                    "content": CHUNK,
                    "room": "planet:5",
                    "msgId": 1,
                    "clientCode": "c1",
                }
            ] * 2
            assert len({job.message.id for job in jobs if job is not None}) == 1
            for _ in range(2):
                await client.ask("/starmap/getMapChunk", CHUNK)
            jobs = [await broker.fetch("bg_starmap") for _ in range(2)]
            assert len({job.message.id for job in jobs if job is not None}) == 2, "nobody has named these"
            for job in jobs:
                assert job is not None
                job.ack()

    asyncio.run(story())


def test_the_gateway_may_answer_by_itself_and_a_miss_is_a_job() -> None:
    async def cached(session: Session, request: Request) -> Any:
        chunk = content_of(request)
        if chunk["left"] % 50:
            raise RequestRefused("left is not on a boundary of 50 units", status=400)
        return {"stars": session.user_id} if chunk["left"] == 0 else None

    route = ClientRoute(queue="bg_starmap", answer=cached)
    decided = policy(routes={"/chunk": route, "/empty": ClientRoute(answer=lambda *_: None)})

    async def story() -> None:
        async with (
            opened_broker() as broker,
            gateway_on(broker, decided=decided) as gateway,
            talk(gateway.port) as client,
        ):
            replies = [await client.ask("/chunk", {"left": left}, msgId=left) for left in (0, 50, 51)]
            empty = await client.ask("/empty")
        assert [(each["status"], each["content"]) for each in [*replies, empty]] == [
            (200, {"stars": 3}),
            (202, None),
            (400, None),
            (200, None),
        ]
        assert "boundary" in replies[2]["message"]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("request_", "status", "told"),
    [
        ({"route": "/os/system"}, 404, "no route '/os/system' for clients"),
        ({"route": "/starmap/getMapChunk", "room": "planet:5"}, 404, "join the room 'planet:5' first"),
        ({"route": "/room/join", "room": "admins"}, 404, "no room 'admins' for you"),
        ({"route": "/room/join"}, 400, "which room?"),
        ({"route": "/session/open"}, 409, "open already"),
        ({"route": "/room/leave", "room": "never joined"}, 200, ""),
    ],
    ids=range(6),
)
def test_what_cannot_be_is_refused_and_the_connection_lives(
    request_: dict[str, str], status: int, told: str
) -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:
            reply = await client.ask(request_["route"], room=request_.get("room", ""), msgId="m")
            assert (reply["status"], reply["msgId"]) == (status, "m")
            assert told in reply["message"]
            assert (await client.ask("/room/join", room="planet:1"))["status"] == 200

    asyncio.run(story())


def test_a_client_is_in_so_many_rooms_at_most() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker, rooms=2) as gateway:
            async with talk(gateway.port) as client:
                joined = [await client.ask("/room/join", room=f"planet:{n}") for n in (1, 1, 2, 3)]
            assert [each["status"] for each in joined] == [200, 200, 200, 429]
            rooms = ["planet:1", "planet:2", "planet:3", "admins"]
            async with talk(gateway.port, rooms=rooms) as client:
                assert client.opened["rooms"] == {
                    "planet:1": 200,
                    "planet:2": 200,
                    "planet:3": 429,
                    "admins": 429,
                }

    asyncio.run(story())


def test_a_broker_that_is_away_is_told_and_the_client_may_try_again() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:

            async def away(queue: str, message: Message) -> None:
                raise NotConnected("nobody answers")

            gateway._jobs.send = away  # type: ignore[method-assign]
            reply = await client.ask("/starmap/getMapChunk", CHUNK)
            assert (reply["status"], reply["message"]) == (503, "the broker cannot take it now: try again")

    asyncio.run(story())


def test_a_queue_that_was_taken_away_is_made_anew() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:
            await broker.client.withdraw(Queue("bg_starmap"))
            reply = await client.ask("/starmap/getMapChunk", CHUNK)
            assert (reply["status"], await broker.depth("bg_starmap")) == (202, 1)

    asyncio.run(story())


def test_a_request_that_is_part_of_a_trace_makes_a_job_that_is() -> None:
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker) as gateway, talk(gateway.port) as client:
            for given in (traceparent, "rubbish"):
                await client.ask("/starmap/getMapChunk", CHUNK, traceparent=given)
            jobs = [await broker.fetch("bg_starmap") for _ in range(2)]
            assert [job is not None and job.trace for job in jobs] == [(traceparent, ""), None]

    asyncio.run(story())
