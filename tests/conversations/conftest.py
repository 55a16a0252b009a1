"""Whom the conversations are held with: the real RabbitMQ, and Penstock with the same outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.differences import DIFFERENCES
from tests.conversations.line import Channel, Line, dial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.servers.running import Running


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
