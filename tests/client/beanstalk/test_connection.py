from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client.beanstalk.connection import BeanstalkConnection
from penstock.client.beanstalk.url import BeanstalkUrl
from penstock.client.dialing import dial_url
from penstock.errors import NotConnected
from penstock.wire.beanstalk import Answer, Word
from tests.client.beanstalk.support import scripted
from tests.client.support import story, until

if TYPE_CHECKING:
    from collections.abc import Mapping


async def connected(url: str) -> BeanstalkConnection:
    connection = BeanstalkConnection("test")
    await dial_url(BeanstalkUrl.parse(url))(lambda: connection)
    return connection


@story
async def test_answers_come_in_the_order_of_the_questions() -> None:
    async with scripted({"use": b"USING a\r\n", "delete": b"DELETED\r\n"}) as url:
        connection = await connected(url)
        heard: list[Answer | None] = []
        connection.send(b"use a\r\n", heard.append)
        connection.send(b"delete 1\r\n", heard.append)
        assert repr(connection) == "<BeanstalkConnection test, open, 2 unanswered>"
        assert await connection.ask(b"delete 2\r\n", 30) == Answer(Word.DELETED)
        assert heard == [Answer(Word.USING, 0, b"a"), Answer(Word.DELETED)]
        assert connection.is_answered
        await connection.close(5)
        await connection.close(5)


@story
async def test_who_asks_hears_that_the_connection_went() -> None:
    async with scripted({}) as url:
        connection = await connected(url)
        heard: list[Answer | None] = []
        connection.send(b"reserve\r\n", heard.append)
        connection.abort("the cable was cut")
        connection.send(b"reserve\r\n", heard.append)
        await until(lambda: len(heard) == 2)
        assert heard == [None, None]
        assert str(await connection.lost) == "test: the cable was cut"
        with pytest.raises(NotConnected, match="the cable was cut"):
            await connection.ask(b"reserve\r\n", 30)


@story
async def test_a_server_that_does_not_answer_in_time_is_given_up() -> None:
    async with scripted({}) as url:
        connection = await connected(url)
        with pytest.raises(NotConnected, match=r"no answer within 0\.01 s"):
            await connection.ask(b"stats\r\n", 0.01)
        assert not connection.is_open
        await connection.lost


@pytest.mark.parametrize(
    "said",
    [{"stats": b"HTTP/1.1 400 Bad Request\r\n"}, {"stats": b"DELETED\r\nDELETED\r\n"}],
    ids=["another protocol", "more than was asked"],
)
@story
async def test_what_does_not_speak_beanstalk_is_given_up(said: Mapping[str, bytes]) -> None:
    async with scripted(said) as url:
        connection = await connected(url)
        connection.send(b"stats\r\n", lambda _: None)
        assert "does not speak beanstalk: it said '" in str(await connection.lost)


@story
async def test_a_farewell_waits_for_what_is_under_way_and_not_for_ever() -> None:
    async with scripted({"delete": b"DELETED\r\n"}) as url:
        connection = await connected(url)
        heard: list[Answer | None] = []
        connection.send(b"delete 1\r\n", heard.append)
        await connection.close(30)
        assert heard == [Answer(Word.DELETED)]
        deaf = await connected(url)
        deaf.send(b"delete 1\r\n", heard.append)
        await deaf.close(0)
        assert heard[1:] == [None]


@story
async def test_who_writes_more_than_is_read_is_told_when_to_go_on() -> None:
    connection = BeanstalkConnection("test")
    connection.pause_writing()
    waiting = asyncio.ensure_future(connection.unclogged())
    await asyncio.sleep(0)
    assert not waiting.done()
    connection.resume_writing()
    await waiting
    connection.abort("never made")
    assert "never made" in str(await connection.lost)


@story
async def test_a_farewell_may_be_said_twice_at_once() -> None:
    async with scripted({"delete": b"DELETED\r\n"}) as url:
        connection = await connected(url)
        connection.send(b"delete 1\r\n", lambda _: None)
        await asyncio.gather(connection.close(30), connection.close(30))
        assert connection.lost.done()
