"""The brokers that an application may be given, and names of a test's own on them."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

import pytest

from tests.servers import penstock, rabbitmq
from tests.servers.running import shared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(params=["embedded", "penstock", "rabbitmq"])
def mq_url(
    request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]
) -> str | None:
    """Where the broker is; None is a broker in this process."""
    if request.param == "embedded":
        return None
    if request.param == "penstock":
        return shared("penstock", notes=run_folder, start=penstock.start).url
    program = real_program("rabbitmq")
    return shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder)).url


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name that nobody else uses."""
    test = re.sub(r"\W+", "-", request.node.originalname)
    return f"{test.removeprefix('test_')[:40]}-{uuid.uuid4().hex[:8]}"
