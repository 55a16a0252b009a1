"""Whom the conversations are held with: the real servers, and Penstock with the same outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.differences import DIFFERENCES
from tests.conversations.line import Channel, Line, dial
from tests.servers import beanstalkd, penstock
from tests.servers.running import HOST, Running, free_port, shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


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


def _start_penstock(folder: Path) -> Running:
    port = free_port()
    return replace(penstock.start(folder, "--beanstalk", f"{HOST}:{port}"), port=port)


@pytest.fixture(scope="session", params=["beanstalkd", "penstock"])
def tube_server(
    request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]
) -> Running:
    """Each of the servers in turn; Penstock keeps its jobs on disk."""
    if request.param == "penstock":
        return shared("penstock-beanstalk", notes=run_folder, start=_start_penstock)
    program = real_program("beanstalkd")
    return shared("beanstalkd", notes=run_folder, start=lambda folder: beanstalkd.start(program, folder))


@pytest.fixture
def tube(name: str) -> str:
    """A tube nobody else uses."""
    return name[-30:].lstrip("-")
