"""Real brokers with messages that wait: one in this process, and RabbitMQ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import rabbitmq
from tests.servers.running import shared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(params=["embedded", "rabbitmq"])
def mq_url(
    request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]
) -> str | None:
    """Where a broker is; None is in this process."""
    if request.param == "embedded":
        return None
    program = real_program("rabbitmq")
    running = shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder))
    return running.url
