"""What a process does for its domain. Pure."""

from __future__ import annotations

from typing import Final

__all__ = ["ROLES", "WEB", "WORKER", "WRITER"]

#: Answers over HTTP: takes operations in, resolves, is the way into the inbox.
WEB: Final = "web"
#: Handles the queues, but for operations, which are the writer's, and anchors, which are the observer's.
WORKER: Final = "worker"
#: Takes operations, and cuts batches; the batch writer that anchors them runs beside it.
WRITER: Final = "writer"
ROLES: Final = (WEB, WORKER, WRITER)
