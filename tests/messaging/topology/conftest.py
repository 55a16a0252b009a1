"""Real brokers that tell what they have: Penstock, and RabbitMQ with its management plugin."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from penstock.client import BrokerUrl
from tests.servers import rabbitmq
from tests.servers.running import HOST, Running, free_port, shared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
    program = real_program("rabbitmq")
    note = run_folder / "management-port"

    def start(folder: Path) -> Running:
        port = free_port()
        settings = f"management.tcp.ip = {HOST}\nmanagement.tcp.port = {port}"
        running = rabbitmq.start(program, folder, settings=settings, plugins=("rabbitmq_management",))
        note.write_text(str(port))
        return running

    running = shared("rabbitmq-managed", notes=run_folder, start=start)
    return Place(running, f"http://{HOST}:{note.read_text()}")


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
