"""Real brokers that the doctor's words are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import penstock, rabbitmq
from tests.servers.running import Running, shared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session", params=["rabbitmq", "penstock"])
def broker(request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]) -> Running:
    """A broker that answers."""
    if request.param == "penstock":
        return shared("penstock", notes=run_folder, start=penstock.start)
    program = real_program("rabbitmq")
    return shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder))
