"""What a command that runs for long tells of itself: logs and spans, as the environment says."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["set_up_logs", "set_up_spans"]

#: What decides about them.
VARIABLES: Final = ("PENSTOCK_LOG_LEVEL", "PENSTOCK_LOG_FORMAT")


def set_up_logs() -> None:
    """Have what is logged go to standard error.

    Raises:
        BadSetting: the environment says what cannot be.
    """
    from penstock.server.logs import set_up  # noqa: PLC0415 (other commands start sooner)
    from penstock.settings import load  # noqa: PLC0415

    set_up(load(environ={name: os.environ[name] for name in VARIABLES if name in os.environ}))


def set_up_spans(service: str) -> None:
    """Have spans go where OpenTelemetry's variables say, if they say anything; it is called so there."""
    from penstock.messaging.tracing import exporting  # noqa: PLC0415 (as above)

    exporting.set_up_spans(os.environ, service)
