"""The logs of a command that runs for long: as the environment says, and as a broker's are."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["set_up_logs"]

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
