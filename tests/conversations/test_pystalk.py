"""pystalk, with beanstalkd and with Penstock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pystalk import BeanstalkClient, BeanstalkError  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Running


@pytest.fixture
def client(tube_server: Running, tube: str) -> Iterator[BeanstalkClient]:
    client = BeanstalkClient(tube_server.host, tube_server.port, auto_decode=True)
    client.use(tube)
    client.watch(tube)
    yield client
    client.close()


def test_a_job_is_put_reserved_and_deleted(client: BeanstalkClient) -> None:
    _, number = client.put_job("hello", pri=5, ttr=30)
    assert client.peek_ready().job_data == "hello"
    job = next(iter(client.reserve_iter()))
    assert (job.job_id, job.job_data) == (number, "hello")
    assert client.stats_job(number)["state"] == "reserved"
    client.delete_job(number)
    with pytest.raises(BeanstalkError, match="NOT_FOUND"):
        client.delete_job(number)


def test_jobs_are_buried_and_kicked(client: BeanstalkClient, tube: str) -> None:
    _, number = client.put_job("x")
    client.bury_job(client.reserve_job(timeout=60).job_id)
    assert client.peek_buried().job_id == number
    assert client.kick_jobs(3)[1] == 1
    client.release_job(client.reserve_job(timeout=60).job_id, delay=100)
    assert client.stats_tube(tube)["current-jobs-delayed"] == 1
    assert client.peek_delayed().job_id == number
