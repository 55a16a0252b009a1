"""Replay: events of the log back into queues, after a broker was lost or a bug was mended; each once."""

from penstock.pipelines.replay.progress import Progress
from penstock.pipelines.replay.replaying import Replay
from penstock.pipelines.replay.selection import Selection

__all__ = ["Progress", "Replay", "Selection"]
