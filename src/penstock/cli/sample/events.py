"""What happens at the waterworks, and the names of where it is told."""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.messaging.events import event

__all__ = ["CHANNEL", "DATABASE", "GAUGES", "JOBS", "LEVELS", "NAMESPACE", "LevelMeasured", "Valve"]

#: The exchange of the waterworks, and how all its queues begin.
NAMESPACE: Final = "waterworks"
#: The queue that Spark reads.
LEVELS: Final = f"{NAMESPACE}.levels"
#: The queue of jobs, and the channel that live clients may hear.
JOBS: Final = "bg_waterworks"
CHANNEL: Final = "ps_waterworks"
#: The file, in its folder, with all that the waterworks keeps.
DATABASE: Final = "waterworks.db"
GAUGES: Final = ("north", "east", "south", "west", "tower")


@event("LevelMeasured")
class LevelMeasured(msgspec.Struct):
    """A gauge says how high the water stands, in metres."""

    gauge: str
    level: float
    #: Seconds since the epoch.
    at: float


class Valve(msgspec.Struct):
    """What a job at a valve is about."""

    valve: str
