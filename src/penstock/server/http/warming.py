"""pyarrow's first import, on a thread: it takes a while, and the loop has other clients."""

from __future__ import annotations

import asyncio

from penstock.wire.arrow import arrow

__all__ = ["warm_up"]


async def warm_up() -> None:
    """Return when pyarrow is there; after the first time, at once.

    Raises:
        ArrowMissing: it is not installed.
    """
    if not arrow.cache_info().currsize:
        await asyncio.get_running_loop().run_in_executor(None, arrow)
