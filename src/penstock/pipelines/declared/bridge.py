"""The bridge to Java, and what it has to say."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["quiet_bridge"]


@contextmanager
def quiet_bridge() -> Iterator[None]:
    """Not a page of its own frames for whatever a batch raises: the query ends with that, and tells it."""

    def is_news(record: logging.LogRecord) -> bool:
        return record.exc_info is None

    bridge = logging.getLogger("py4j.clientserver")
    bridge.addFilter(is_news)
    try:
        yield
    finally:
        bridge.removeFilter(is_news)
