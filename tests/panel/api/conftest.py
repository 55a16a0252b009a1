from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def house() -> Iterator[House]:
    """A broker in memory, with its panel."""
    with House() as house:
        yield house
