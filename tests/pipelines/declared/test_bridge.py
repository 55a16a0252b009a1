from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.pipelines.declared.bridge import quiet_bridge

if TYPE_CHECKING:
    import pytest

BRIDGE = logging.getLogger("py4j.clientserver")


def tell() -> None:
    BRIDGE.error("there was an exception", exc_info=ValueError("no title"))
    BRIDGE.error("nobody answers")


def test_what_a_batch_raises_is_told_elsewhere(caplog: pytest.LogCaptureFixture) -> None:
    with quiet_bridge():
        tell()
    assert [record.getMessage() for record in caplog.records] == ["nobody answers"]
    tell()
    assert len(caplog.records) == 3
