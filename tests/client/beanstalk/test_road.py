from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client import ClientSettings
from penstock.client.beanstalk import OutgoingJob, connect
from penstock.client.beanstalk.road import BeanstalkRoad
from penstock.client.beanstalk.url import BeanstalkUrl
from penstock.client.counters import Counters
from penstock.errors import LoginRefused, NotConnected
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings
from tests.client.beanstalk.support import scripted
from tests.client.support import HASTY, story, until
from tests.server.certified import Authority
from tests.servers.running import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.client.beanstalk import Job
    from tests.servers.running import Running

ONCE = ClientSettings(connect_max_retries=0)


def road(url: str, settings: ClientSettings = ONCE) -> BeanstalkRoad:
    return BeanstalkRoad(BeanstalkUrl.parse(url), None, settings, Counters())


@story
async def test_who_is_known_comes_in_over_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")
    settings = Settings(
        amqp=(), beanstalks=(Address("127.0.0.1", 0),), amqps_certificate=certificate, amqps_key=key
    )
    broker = await Embedded.start(settings)
    (url,) = await broker.listen()
    place = f"127.0.0.1:{url.rpartition(':')[2]}?cacertfile={authority.file}"
    async with await connect(f"beanstalks://guest:guest@{place}", settings=HASTY) as client:
        assert client.tubes.server.product == "Penstock"
        came: list[Job] = []
        consumption = await client.consume("q", came.extend, window=1)
        await client.put(OutgoingJob("q", b"x" * 60_000))
        await until(lambda: came)
        assert await came[0].delete_for_certain()
        await until(lambda: "waiting" in repr(consumption))
        await consumption.cancel()
    with pytest.raises(LoginRefused, match="does not let this user in") as caught:
        await road(f"beanstalks://guest:sesame@{place}").open("test")
    assert "sesame" not in str(caught.value)
    await broker.close()


@story
async def test_a_server_that_knows_no_users_says_so(beanstalkd_server: Running) -> None:
    url = beanstalkd_server.url.replace("//", "//guest:guest@")
    with pytest.raises(LoginRefused, match="knows no users: leave the user out of the URL"):
        await road(url).open("test")


@story
async def test_nobody_there_is_told() -> None:
    url = f"beanstalk://127.0.0.1:{free_port()}"
    with pytest.raises(NotConnected, match=f"{url} cannot be reached"):
        await road(url).open("test")


@story
async def test_a_server_that_only_listens_is_given_up() -> None:
    async with scripted({}) as url:
        hasty = ClientSettings(connect_timeout=0.05)
        with pytest.raises(NotConnected, match="no answer within"):
            await road(url.replace("//", "//me:x@"), hasty).open("test")
