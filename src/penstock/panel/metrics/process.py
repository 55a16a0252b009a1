"""What is told of the process, the machine and the program: memory, files, disk, version."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock import __version__
from penstock.broker import Gauges, total_memory
from penstock.panel.metrics.family import COUNTER, GAUGE, Family, labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.settings import Settings

__all__ = ["BUILD", "IDENTITY", "PROCESS", "process"]

#: Where the system lists the files that this process has open.
FILES: Final = Path("/proc/self/fd")


class Reading(NamedTuple):
    """One family with one number; None where the system does not tell."""

    family: Family
    of: Callable[[Settings, float], float | None]


def _cpu(_settings: Settings, _up_for: float) -> float:
    times = os.times()
    return times.user + times.system


def _open_files(_settings: Settings, _up_for: float) -> int | None:
    return len(list(FILES.iterdir())) if FILES.exists() else None


PROCESS: Final = (
    Reading(
        Family("rabbitmq_process_resident_memory_bytes", GAUGE, "Memory used in bytes"),
        lambda _settings, _up_for: Gauges().memory(),
    ),
    Reading(
        Family("rabbitmq_resident_memory_limit_bytes", GAUGE, "Memory high watermark in bytes"),
        lambda settings, _up_for: settings.memory_bytes(total_memory()),
    ),
    Reading(
        Family("rabbitmq_disk_space_available_bytes", GAUGE, "Disk space available in bytes"),
        lambda settings, _up_for: Gauges(settings.data).disk_free(),
    ),
    Reading(
        Family("rabbitmq_disk_space_available_limit_bytes", GAUGE, "Free disk space low watermark in bytes"),
        lambda settings, _up_for: settings.disk_free_limit,
    ),
    Reading(Family("rabbitmq_process_open_fds", GAUGE, "Open file descriptors"), _open_files),
    Reading(
        Family("rabbitmq_process_max_fds", GAUGE, "Open file descriptors limit"),
        lambda _settings, _up_for: resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    ),
    # Not Erlang's: dashboards know the node's uptime by this name.
    Reading(Family("rabbitmq_erlang_uptime_seconds", GAUGE, "Node uptime"), lambda _settings, up_for: up_for),
    Reading(
        Family("process_cpu_seconds_total", COUNTER, "Total user and system CPU time spent in seconds"), _cpu
    ),
)
BUILD: Final = Family("rabbitmq_build_info", GAUGE, "What runs here, in its labels")
IDENTITY: Final = Family("rabbitmq_identity_info", GAUGE, "The node and the cluster, in its labels")


def process(settings: Settings, node: str, up_for: float) -> Iterator[str]:
    """The process's numbers."""
    build = labelled(product_name="Penstock", product_version=__version__, rabbitmq_version=__version__)
    yield BUILD.told([(build, 1)])
    yield IDENTITY.told([(labelled(rabbitmq_node=node, rabbitmq_cluster=node), 1)])
    for family, of in PROCESS:
        value = of(settings, up_for)
        if value is not None:
            yield family.told([("", value)])
