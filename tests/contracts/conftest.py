"""The brokers that an application may be given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.running import Running


@pytest.fixture(params=["embedded", "penstock", "rabbitmq"])
def mq_url(request: pytest.FixtureRequest) -> str | None:
    """Where the broker is; None is a broker in this process."""
    if request.param == "embedded":
        return None
    found: Running = request.getfixturevalue(f"{request.param}_server")
    return found.url
