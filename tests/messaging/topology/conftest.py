"""Real brokers that tell what they have: Penstock, and RabbitMQ with its management plugin."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from penstock.client import BrokerUrl
from tests.servers.managed import managed_rabbitmq

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.servers.running import Running


@dataclass(frozen=True, slots=True)
class Place:
    """A broker, and where its management API is, if it has one."""

    running: Running
    management: str | None = None

    @property
    def url(self) -> BrokerUrl:
        return BrokerUrl.parse(self.running.url)


@pytest.fixture(scope="session")
def managed(run_folder: Path, real_program: Callable[[str], Path]) -> Place:
    """RabbitMQ with its management plugin."""
    found = managed_rabbitmq(real_program("rabbitmq"), run_folder)
    return Place(found.running, found.management.replace("guest:guest@", ""))


@pytest.fixture(scope="session")
def telling(penstock_server: Running) -> Place:
    """A Penstock broker, which tells over AMQP."""
    return Place(penstock_server)


@pytest.fixture(params=["telling", "managed"])
def place(request: pytest.FixtureRequest) -> Place:
    """A broker that tells all it has."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def app() -> str:
    """The name of an application that nobody else has."""
    return f"app-{uuid.uuid4().hex[:8]}"
