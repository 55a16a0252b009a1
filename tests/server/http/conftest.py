"""Brokers for the tests of HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.http.served import House

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """A broker that the tests of a file share."""
    with House() as house:
        yield house
