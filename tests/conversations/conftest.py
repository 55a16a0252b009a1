"""Whom the conversations are held with: the real RabbitMQ, and Penstock with the same outcome."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.differences import DIFFERENCES
from tests.conversations.line import Channel, Line, dial
from tests.servers import penstock, rabbitmq
from tests.servers.running import Running, shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: "penstock" joins as soon as there is a `penstock broker` to start.
BROKERS: tuple[str, ...] = ("rabbitmq", "penstock")


@pytest.fixture(scope="session", params=BROKERS)
def broker(request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """A broker that answers; all tests of a run share it, so names must be a test's own."""
    if request.param == "penstock":
        return shared("penstock", notes=run_folder, start=penstock.start)
    program = real_program("rabbitmq")
    return shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder))


@pytest.fixture
def people(broker: Running) -> None:
    """The broker knows a user "limited" and a virtual host "elsewhere"."""
    if broker.name == "penstock" and not penstock.HAS_PEOPLE:
        pytest.skip("penstock has no users yet")


@pytest.fixture
def broker_under_alarm(broker: Running, run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """A broker of the same kind that is short of memory and blocks whoever publishes."""
    if broker.name == "rabbitmq":
        program = real_program("rabbitmq")
        return shared(
            "rabbitmq-under-alarm",
            notes=run_folder,
            start=lambda folder: rabbitmq.start(program, folder, settings=rabbitmq.UNDER_ALARM),
        )
    if (arguments := penstock.UNDER_ALARM) is None:
        pytest.skip("penstock has no alarms yet")
    return shared(
        "penstock-under-alarm",
        notes=run_folder,
        start=lambda folder: penstock.start(folder, *arguments),
    )


@pytest.fixture
def expected(broker: Running) -> Callable[[str], Any]:
    """What this broker does where the two differ, by the name of the difference."""
    return lambda name: getattr(DIFFERENCES[name], broker.name)


@pytest.fixture
def line(broker: Running) -> Iterator[Line]:
    """A connection with nothing between the test and the frames."""
    with dial(broker) as line:
        yield line


@pytest.fixture
def channel(line: Line) -> Channel:
    """The first channel of a connection."""
    return line.channel()


@pytest.fixture
def other(broker: Running) -> Iterator[Channel]:
    """A channel of another connection."""
    with dial(broker) as line:
        yield line.channel()


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name nobody else uses, for a queue, an exchange, or to begin several of them."""
    test = re.sub(r"\W+", "-", request.node.originalname)
    return f"{test.removeprefix('test_')[:40]}-{uuid.uuid4().hex[:8]}"
