"""The real servers, as tests ask for them. All tests of a run share them, so names must be a test's own."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from tests.servers import beanstalkd, penstock, postgresql, rabbitmq, s3, spark
from tests.servers.running import Running, shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.postgresql import PostgreSQL

#: The servers that an application, or a client, may find at the other end.
SERVERS = ("rabbitmq", "penstock")


@pytest.fixture(scope="session")
def rabbitmq_server(run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """The real RabbitMQ."""
    program = real_program("rabbitmq")
    return shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder))


@pytest.fixture(scope="session")
def penstock_server(run_folder: Path) -> Running:
    """A Penstock broker in a process of its own."""
    return shared("penstock", notes=run_folder, start=penstock.start)


@pytest.fixture(scope="session")
def beanstalkd_server(run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """The real beanstalkd."""
    program = real_program("beanstalkd")
    return shared("beanstalkd", notes=run_folder, start=lambda folder: beanstalkd.start(program, folder))


@pytest.fixture(scope="session")
def penstock_tube_server(run_folder: Path) -> Running:
    """Penstock's beanstalk front, which keeps its jobs on disk."""
    return shared("penstock-beanstalk", notes=run_folder, start=penstock.start_tubes)


@pytest.fixture(scope="session", params=["beanstalkd", "penstock_tube"])
def tube_server(request: pytest.FixtureRequest) -> Running:
    """Each of the servers that speak beanstalk in turn."""
    found: Running = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture(scope="session")
def spark_cluster(run_folder: Path) -> Running:
    """A real Spark cluster: a master, and two workers with a core each."""
    return shared("spark", notes=run_folder, start=spark.start)


@pytest.fixture(scope="session")
def s3_server(run_folder: Path) -> Running:
    """A real object store that speaks S3."""
    return shared("s3", notes=run_folder, start=s3.start)


@pytest.fixture(scope="session")
def rabbitmq_url(rabbitmq_server: Running) -> str:
    """Where the real RabbitMQ is."""
    return rabbitmq_server.url


@pytest.fixture(scope="session", params=SERVERS)
def broker(request: pytest.FixtureRequest) -> Running:
    """Each of the brokers in turn."""
    found: Running = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture(params=["embedded", "rabbitmq"])
def mq_url(request: pytest.FixtureRequest) -> str | None:
    """Where a broker is: None, in this process, or RabbitMQ."""
    if request.param == "embedded":
        return None
    found: str = request.getfixturevalue("rabbitmq_url")
    return found


@pytest.fixture
def broker_under_alarm(broker: Running, run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """A broker of the same kind that is short of memory and blocks whoever publishes."""

    def start(folder: Path) -> Running:
        if broker.name == "penstock":
            return penstock.start(folder, *penstock.UNDER_ALARM)
        return rabbitmq.start(real_program("rabbitmq"), folder, settings=rabbitmq.UNDER_ALARM)

    return shared(f"{broker.name}-under-alarm", notes=run_folder, start=start)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name nobody else uses, for a queue, an exchange, or to begin several of them."""
    test = re.sub(r"\W+", "-", request.node.originalname)
    return f"{test.removeprefix('test_')[:40]}-{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="session")
def postgresql_server(real_program: Callable[[str], Path]) -> Iterator[PostgreSQL]:
    """The real PostgreSQL, one for all tests of this process that do it no harm."""
    server = postgresql.start(real_program("postgresql"), postgresql.IMPATIENT)
    yield server
    server.destroy()


@pytest.fixture
def postgresql_url(postgresql_server: PostgreSQL) -> Iterator[str]:
    """A schema of the test's own."""
    assert postgresql_server.running is not None
    schema = f"test_{uuid.uuid4().hex[:12]}"
    url = postgresql.url_of(postgresql_server.running)
    admin = sa.create_engine(url)
    with admin.begin() as connection:
        connection.execute(sa.text(f"CREATE SCHEMA {schema}"))
    yield f"{url}?options=-csearch_path%3D{schema}"
    with admin.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA {schema} CASCADE"))
    admin.dispose()
