"""Whom the client is tried with: the real RabbitMQ, and Penstock."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

import pytest

from tests.servers import penstock, rabbitmq
from tests.servers.running import Running, shared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session", params=["rabbitmq", "penstock"])
def broker(request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """A broker that answers; all tests of a run share it, so names must be a test's own."""
    if request.param == "penstock":
        return shared("penstock", notes=run_folder, start=penstock.start)
    program = real_program("rabbitmq")
    return shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder))


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
    arguments = penstock.UNDER_ALARM or ()
    return shared(
        "penstock-under-alarm", notes=run_folder, start=lambda folder: penstock.start(folder, *arguments)
    )


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name nobody else uses, for a queue, an exchange, or to begin several of them."""
    test = re.sub(r"\W+", "-", request.node.originalname)
    return f"{test.removeprefix('test_')[:40]}-{uuid.uuid4().hex[:8]}"
