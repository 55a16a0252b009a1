"""greenstalk, with beanstalkd and with Penstock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import greenstalk
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Running


@pytest.fixture
def client(tube_server: Running, tube: str) -> Iterator[greenstalk.Client[str]]:
    with greenstalk.Client((tube_server.host, tube_server.port), use=tube, watch=tube) as client:
        yield client


def test_a_job_is_put_reserved_and_deleted(client: greenstalk.Client[str]) -> None:
    job = client.put("grüße", priority=7, ttr=30)
    reserved = client.reserve(timeout=60)
    assert (reserved.id, reserved.body) == (job, "grüße")
    told = client.stats_job(reserved)
    assert (told["pri"], told["ttr"], told["state"], told["tube"]) == (7, 30, "reserved", client.using())
    client.touch(reserved)
    client.delete(reserved)
    with pytest.raises(greenstalk.NotFoundError):
        client.peek(job)
    with pytest.raises(greenstalk.TimedOutError):
        client.reserve(timeout=0)


def test_a_job_is_buried_and_kicked(client: greenstalk.Client[str]) -> None:
    job = client.put("x")
    client.bury(client.reserve())
    assert client.peek_buried().id == job
    assert client.kick(10) == 1
    client.release(client.reserve(), priority=3, delay=100)
    client.kick_job(job)
    assert client.reserve_job(job).body == "x"


def test_statistics_are_read(client: greenstalk.Client[str]) -> None:
    client.put("x", delay=100)
    tube = client.using()
    assert client.stats_tube(tube)["current-jobs-delayed"] == 1
    assert client.stats()["max-job-size"] == 65535
    assert tube in client.tubes()
    assert client.watching() == [tube]
    client.pause_tube(tube, 1)


def test_what_is_too_big_is_refused(client: greenstalk.Client[str]) -> None:
    with pytest.raises(greenstalk.JobTooBigError):
        client.put("x" * 65536)
