"""The brokers that an application may be given, and what some of them cannot."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.contracts.stores import ADAPTERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.store import Store
    from tests.servers.running import Running

#: The servers of each protocol; embedded is a broker in this process.
AMQP = ("embedded", "penstock", "rabbitmq")
BEANSTALK = ("beanstalkd", "penstock_tube")

#: The promises that beanstalk cannot keep, and why. What is asked of it all the same is refused, or done by
#: other means: tests/messaging/beanstalk/test_broker.py.
BEANSTALK_CANNOT = {
    "test_a_topology_routes_and_may_grow": "it has no exchanges",
    "test_a_delayed_message_comes_later_and_blocks_nobody[exchange]": "it has no exchanges",
    "test_a_topology_that_differs_is_refused": "a tube has no arguments to differ in",
    "test_failures_are_counted_where_the_broker_counts": "it counts without being asked, and silence only",
    "test_a_message_that_nobody_takes_in_time_is_gone": "it keeps jobs until somebody takes them",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "mq_url" in metafunc.fixturenames:
        cannot = metafunc.function.__name__ in BEANSTALK_CANNOT
        metafunc.parametrize("mq_url", AMQP if cannot else (*AMQP, *BEANSTALK), indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out cases of a test whose other cases are as good for beanstalk as for others."""
    items[:] = [item for item in items if not _is_beyond(item)]


def _is_beyond(item: pytest.Item) -> bool:
    name, _, case = item.name.rstrip("]").partition("[")
    server, _, rest = case.partition("-")
    return server in BEANSTALK and f"{name}[{rest}]" in BEANSTALK_CANNOT


@pytest.fixture
def mq_url(request: pytest.FixtureRequest) -> str | None:
    """Where the broker is; None is a broker in this process."""
    if request.param == "embedded":
        return None
    found: Running = request.getfixturevalue(f"{request.param}_server")
    return found.url


@pytest.fixture(params=list(ADAPTERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    with closing(ADAPTERS[request.param](tmp_path / "store")) as made:
        yield made
