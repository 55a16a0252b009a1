"""Whom the conversations are held with: the real servers, and Penstock with the same outcome."""

from __future__ import annotations

import random as chance
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.differences import DIFFERENCES
from tests.conversations.line import Channel, Line, dial
from tests.conversations.sidetree_reference import Reference
from tests.servers.managed import managed_penstock, managed_rabbitmq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.managed import Managed
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


@pytest.fixture
def tube(name: str) -> str:
    """A tube nobody else uses."""
    return name[-30:].lstrip("-")


@pytest.fixture(scope="session")
def reference(run_folder: Path, real_program: Callable[[str], Path]) -> Reference:
    """The reference implementation of Sidetree, installed once for the run."""
    return Reference(run_folder, real_program)


@pytest.fixture
def random() -> Random:
    """A chance that --randomly-seed repeats."""
    return Random(chance.random())


@pytest.fixture(scope="module", params=["penstock", "rabbitmq"])
def managed(request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]) -> Managed:
    """A broker that answers over HTTP, too."""
    if request.param == "penstock":
        return managed_penstock(run_folder)
    return managed_rabbitmq(real_program("rabbitmq"), run_folder)
