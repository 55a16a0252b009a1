"""What Penstock asks of Spark: the settings of a session, by where it runs. Pure: values in, values out.

Everything here can be overruled by the settings that `open_session` is given.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FORKING",
    "PRELOADED",
    "check",
    "cores",
    "is_configured",
    "is_local",
    "is_on_this_machine",
    "masters",
    "needs_launcher",
    "settings_for",
]

#: How the masters that Spark knows begin, each with an example.
MASTERS: Final = {
    "local": "local[*]",
    "spark://": "spark://host:7077",
    "yarn": "yarn",
    "k8s://": "k8s://https://…",
}

#: Spark's default checkpoint manager starts some 25 processes a batch where Hadoop's native library is
#: missing; this one halves the time of a small batch. It asks for one writer a checkpoint: a reader's lease.
CHECKPOINTS: Final = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)

#: Wherever a session runs.
EVERYWHERE: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # A day of an event log begins at the same instant on every machine.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.checkpointFileManagerClass": CHECKPOINTS,
    # Pipelines side by side take turns (supervising.py); all other work goes one after the other, as usual.
    "spark.scheduler.mode": "FAIR",
}

#: Where Python workers are forked from that have modules preloaded, and the variable that names these, with
#: commas between them (forking.py).
FORKING: Final = {"spark.python.daemon.module": "penstock.pipelines.forking"}
PRELOADED: Final = "PYSPARK_PRELOADED"

#: The files by which Spark is configured.
CONFIGURATION: Final = ("log4j2.properties", "spark-defaults.conf", "spark-env.sh")

#: What only Spark's own launcher can do: fetch packages, log in to other clusters.
LAUNCHER_ONLY: Final = (
    "spark.archives",
    "spark.jars.",
    "spark.kerberos.",
    "spark.kubernetes.",
    "spark.yarn.",
)


def settings_for(name: str, master: str, workspace: Path, given: Mapping[str, str]) -> dict[str, str]:
    """All settings of a session."""
    settings = EVERYWHERE | {
        "spark.app.name": name,
        "spark.master": master,
        "spark.local.dir": str(workspace / "local"),
        # Tables without a path of their own are known to this session only, and go with it.
        "spark.sql.warehouse.dir": str(workspace / "warehouse"),
    }
    if is_on_this_machine(master):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if is_local(master):
        # 200, which is for clusters, is a minute of empty tasks on a laptop.
        settings["spark.sql.shuffle.partitions"] = str(cores(master))
    return {**settings, **given}


def check(master: str, memory: str) -> None:
    """See to it that what is wrong is said before anything is started.

    Raises:
        BadSetting: it cannot be like that.
    """
    if not master.startswith(tuple(MASTERS)):
        known = ", ".join(MASTERS.values())
        raise BadSetting(f"{master!r} is no Spark master: {known} are", setting="master")
    if not re.fullmatch(r"[1-9]\d*[kmgt]", memory, re.IGNORECASE):
        raise BadSetting(f"{memory!r} is no size of memory: 1g and 900m are", setting="memory")


def masters(master: str) -> list[tuple[str, int]]:
    """The addresses of a standalone cluster's masters: spark://one:7077,two:7077 has two."""
    if not master.startswith("spark://"):
        return []
    pairs = [each.rpartition(":") for each in master.removeprefix("spark://").split(",")]
    try:
        return [(host.strip("[]"), int(port)) for host, _, port in pairs]
    except ValueError:
        raise BadSetting(f"{master!r} has no port: spark://host:7077 has", setting="master") from None


def is_local(master: str) -> bool:
    """Whether everything runs inside one Java."""
    return master.partition("[")[0] == "local"


def is_on_this_machine(master: str) -> bool:
    """Whether nobody on another machine takes part."""
    return master.startswith("local") or bool(re.match(r"spark://(127\.|localhost:|\[::1\])", master))


def is_configured(home: Path, environment: Mapping[str, str]) -> bool:
    """Whether somebody has written configuration files for this Spark, which its launcher reads."""
    folder = Path(environment.get("SPARK_CONF_DIR") or home / "conf")
    return any((folder / name).exists() for name in CONFIGURATION)


def needs_launcher(master: str, settings: Mapping[str, str]) -> bool:
    """Whether Spark's own launcher must start it, and not we, which is quicker."""
    return not master.startswith(("local", "spark://")) or any(
        setting.startswith(LAUNCHER_ONLY) for setting in settings
    )


def cores(master: str) -> int:
    """How many tasks run at once: 4 of local[4], all the machine has of local[*], 1 of local."""
    found = re.match(r"local\[(\d+|\*)", master)
    if found is None:
        return 1
    return (os.cpu_count() or 1) if found[1] == "*" else int(found[1])
