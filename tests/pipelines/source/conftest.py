"""A queue that is taken from by a spool, and the box that letters for it are put into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.pipelines.source.spool_taking import SpoolTaking
from tests.pipelines.spool.letters import LetterBox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def box() -> LetterBox:
    return LetterBox()


@pytest.fixture
def taking(box: LetterBox, tmp_path: Path) -> Iterator[SpoolTaking]:
    made = SpoolTaking(tmp_path, lambda: box)
    made.lease("a test", 10)
    yield made
    made.close()
