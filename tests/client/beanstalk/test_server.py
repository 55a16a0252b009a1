from __future__ import annotations

import pytest

from penstock.client.beanstalk.connection import BeanstalkConnection
from penstock.client.beanstalk.server import ServerFacts, ask_server
from penstock.client.beanstalk.url import BeanstalkUrl
from penstock.client.dialing import dial_url
from penstock.errors import NotConnected
from penstock.wire.beanstalk import document, replies
from tests.client.beanstalk.support import scripted
from tests.client.support import story


async def asked(said: bytes) -> ServerFacts:
    async with scripted({"stats": said}) as url:
        connection = BeanstalkConnection("test")
        await dial_url(BeanstalkUrl.parse(url))(lambda: connection)
        try:
            return await ask_server(connection, 30)
        finally:
            await connection.close(0)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            {"version": "1.12", "id": b"8a7e", "max-job-size": 99},
            ServerFacts("beanstalkd", (1, 12), "8a7e", 99),
        ),
        ({"version": "penstock 0.7.1"}, ServerFacts("Penstock", (0, 7, 1), "", 65_535)),
        ({"max-job-size": "much"}, ServerFacts("beanstalkd", (), "", 65_535)),
    ],
)
@story
async def test_a_server_says_what_it_is(told: dict[str, object], expected: ServerFacts) -> None:
    assert await asked(replies.chunk(document(told))) == expected


@story
async def test_one_that_does_not_say_is_none() -> None:
    with pytest.raises(NotConnected, match="does not say what it is: NOT_AUTHENTICATED"):
        await asked(replies.NOT_AUTHENTICATED)
