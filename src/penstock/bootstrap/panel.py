"""The whole panel of a broker: its resources opened, and served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.bootstrap.panel_resources import open_resources
from penstock.panel.serving import open_panel

if TYPE_CHECKING:
    from penstock.panel.serving import PanelServer
    from penstock.server.embedded import Embedded

__all__ = ["open_whole_panel"]


async def open_whole_panel(embedded: Embedded) -> PanelServer:
    """Serve a broker's panel with all that its settings name.

    Raises:
        CannotListen, BadSetting, StoreError: nothing is served.
    """
    resources = await open_resources(embedded)
    try:
        return await open_panel(embedded, resources)
    except BaseException:
        await resources.close()
        raise
