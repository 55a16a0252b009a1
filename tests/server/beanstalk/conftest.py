"""Who talks to whom in the tests of the beanstalk server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.beanstalk.talk import Client, World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A broker with the usual settings, in memory."""
    world = World(tmp_path)
    yield world
    world.close()


@pytest.fixture
def durable(tmp_path: Path) -> Iterator[World]:
    """A broker whose jobs are durable."""
    world = World(tmp_path, data=tmp_path)
    yield world
    world.close()


@pytest.fixture
def client(world: World) -> Client:
    """A client of it."""
    return world.worker()


@pytest.fixture
def other(world: World) -> Client:
    """Another client of the same broker."""
    return world.worker()
