"""How a pipeline is doing: written by the process that runs it, read by any other."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from penstock.pipelines.declared.progress import Metrics

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from penstock.pipelines.declared.place import Place

__all__ = ["State", "Status", "read_status", "write_status"]

NOTHING: Final = Metrics()


class State(StrEnum):
    """What a pipeline is about."""

    NEVER_RUN = "never run"
    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting"  # after a failure, for the next attempt
    ISOLATING = "isolating"  # looking for rows that are to blame
    DONE = "done"  # everything that was there
    STOPPED = "stopped"  # as somebody asked
    FAILED = "failed"  # and nobody tries again
    DIED = "died"  # its process did, without a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How one pipeline is doing."""

    pipeline: str
    state: State = State.NEVER_RUN
    #: The last batch that was done.
    batch: int | None = None
    metrics: Metrics = NOTHING
    #: The last one, even if all went well since.
    error: str | None = None
    #: Where Spark shows what it does, while it runs.
    ui: str | None = None
    #: When this was written, in seconds since the epoch.
    at: float | None = None

    def as_fields(self) -> dict[str, Any]:
        """As JSON has it: the metrics are among the rest."""
        own: dict[str, Any] = asdict(self)
        numbers: dict[str, Any] = own.pop("metrics")
        return own | numbers

    @classmethod
    def of_fields(cls, told: Mapping[str, Any]) -> Status:
        """Back from JSON; what an older or a newer version wrote beyond that is left out."""
        numbers = {each.name: told[each.name] for each in fields(Metrics) if each.name in told}
        own = {each.name: told[each.name] for each in fields(cls) if each.name in told}
        return cls(**own | {"state": State(told["state"]), "metrics": Metrics(**numbers)})


def write_status(place: Place, status: Status) -> None:
    """Leave it for others to read."""
    place.write(place.status, status.as_fields())


def read_status(place: Place) -> Status:
    """How it is doing, as far as it told; a process that died could not tell that it did."""
    told = place.read(place.status)
    if told is None:
        return Status(pipeline=place.name)
    status = Status.of_fields(told)
    has_ended = status.state in {State.DONE, State.STOPPED, State.FAILED}
    return status if has_ended or place.is_held else replace(status, state=State.DIED)
