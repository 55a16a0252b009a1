"""Resources: the sources that a panel was given. One that is missing is a 404 that says how to give it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.panel.replies import ApiFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.panel.own.dead_letters import LetterDesk
    from penstock.panel.own.did_port import Batches
    from penstock.panel.own.lives import Lives
    from penstock.panel.own.outbox import OutboxDesk
    from penstock.panel.own.port import Pipelines, Schedules, Workers
    from penstock.panel.own.topology import TopologyDesk

__all__ = ["MISSING", "Resources"]

#: Why a source is not there, and what to do about it.
MISSING: Final[Mapping[str, str]] = {
    "dead_letters": "where dead letters are kept: set panel_dead_letters",
    "outbox": "in which database an outbox is: set panel_outbox",
    "schedules": "where schedules are kept: set panel_schedules",
    "workers": "of a broker to hear workers at",
    "topology": "which topology is wanted: set panel_topology",
    "pipelines": "in which folder pipelines run: set panel_pipelines",
    "batches": "in which database a DID domain keeps its records: set panel_did",
    "lives": "what happens to messages: set message_lives to on",
}


@dataclass(slots=True, kw_only=True)
class Resources:
    """What a panel can show beside its broker. `close` it at the end."""

    dead_letters: LetterDesk | None = None
    outbox: OutboxDesk | None = None
    schedules: Schedules | None = None
    workers: Workers | None = None
    topology: TopologyDesk | None = None
    pipelines: Pipelines | None = None
    batches: Batches | None = None
    lives: Lives | None = None
    #: What was opened for them.
    opened: AsyncExitStack = field(default_factory=AsyncExitStack, repr=False)

    def demand(self, name: str) -> Any:
        """The source of that name.

        Raises:
            ApiFault: 404, there is none.
        """
        found = getattr(self, name)
        if found is None:
            raise ApiFault(404, f"this panel was not told {MISSING[name]}")
        return found

    async def close(self) -> None:
        """Let go of what was opened."""
        await self.opened.aclose()
