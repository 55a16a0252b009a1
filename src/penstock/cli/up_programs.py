"""The programs that `penstock up` runs: each a command of ours, with what it is told. Pure but for names.

What may hold a password goes in the environment: a command line is everybody's to read.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.cli.parts import PANEL, missing
from penstock.cli.sample import events
from penstock.cli.sample.events import CHANNEL
from penstock.cli.supervising import CHILD, Program
from penstock.cli.worker_order import SCHEDULES, URL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.cli.ports import HeldPort
    from penstock.cli.up_folder import UpFolder

__all__ = ["SAMPLE", "Places", "broker_program", "gateway_program", "sample_program", "spark_program",
           "worker_program"]  # fmt: skip

#: Where Spark finds the waterworks' database.
SAMPLE: Final = "PENSTOCK_SAMPLE"
#: Settings of the panel that are the waterworks' database.
SAMPLE_SHOWN: Final = (
    "PENSTOCK_PANEL_DEAD_LETTERS",
    "PENSTOCK_PANEL_OUTBOX",
    "PENSTOCK_PANEL_SCHEDULES",
)
#: What the waterworks wants the broker to have.
TOPOLOGY: Final = Path(events.__file__).with_name("topology.toml")
#: Jobs at a time: an inspection takes seconds, and some are to be seen waiting.
CONCURRENCY: Final = "4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where everything listens."""

    amqp: HeldPort
    beanstalk: HeldPort
    websocket: HeldPort
    panel: HeldPort

    @property
    def broker_url(self) -> str:
        """The broker, as RabbitMQ has it: guest, from this machine only."""
        return f"amqp://guest:guest@{self.amqp.address}/"

    @property
    def panel_url(self) -> str:
        """The page."""
        return f"http://{self.panel.address}/"

    def shown(self) -> dict[str, str]:
        """All of it, as a person is told."""
        return {
            "panel": self.panel_url,
            "amqp": self.broker_url,
            "beanstalk": f"beanstalk://{self.beanstalk.address}",
            "websocket": f"ws://{self.websocket.address}/ws",
        }


def broker_program(folder: UpFolder, places: Places, *, with_sample: bool, with_did: bool) -> Program:
    """The broker, with the panel if that can be, which is told of everything that runs beside it."""
    told = ["--data", str(folder.broker)]
    told += ["--amqp", places.amqp.address, "--beanstalk", places.beanstalk.address]
    if missing(PANEL) is None:
        told += ["--panel", places.panel.address]
    shown = {
        "PENSTOCK_PANEL_PIPELINES": str(folder.pipelines),
        "PENSTOCK_PANEL_TOPOLOGY": str(TOPOLOGY),
        **dict.fromkeys(SAMPLE_SHOWN, folder.database),
    }
    if with_sample:
        # Who looks at a sample wants to see what becomes of its messages, and is in no hurry.
        told += ["--message-lives", "on"]
    if with_did:
        shown["PENSTOCK_PANEL_DID"] = folder.records
    return _program("broker", folder, "broker", *told, environment=shown)


def gateway_program(folder: UpFolder, places: Places, *, with_sample: bool) -> Program:
    """Live clients: of the waterworks, or of whoever has tokens."""
    policy = ["penstock.cli.sample.live:policy", "--channel", CHANNEL]
    allowed = policy if with_sample else ["--secret", str(folder.gateway_secret())]
    listen = ["--listen", f"127.0.0.1:{places.websocket.port}", "--name", "up"]
    return _program("gateway", folder, "gateway", *allowed, *listen, environment={URL: places.broker_url})


def sample_program(folder: UpFolder, places: Places, did: str | None, *, is_at_rest: bool) -> Program:
    """The waterworks; at rest it takes what others send, and sends nothing itself."""
    more = [] if did is None else ["--did", did]
    more += ["--rate", "0"] if is_at_rest else []
    told = ["sample", "--data", str(folder.sample), *more]
    return _program("waterworks", folder, *told, environment={URL: places.broker_url})


def worker_program(folder: UpFolder, places: Places) -> Program:
    """Who does the waterworks' jobs."""
    routes = ["penstock.cli.sample.jobs:routes", "--concurrency", CONCURRENCY]
    environment = {URL: places.broker_url, SCHEDULES: folder.database}
    return _program("worker", folder, "worker", *routes, environment=environment)


def spark_program(folder: UpFolder, places: Places, master: str) -> Program:
    """The waterworks' pipeline, where there is no DID domain whose Spark it can share."""
    what = [
        "run",
        "penstock.pipelines.sample",
        "--data",
        str(folder.pipelines),
        "--master",
        master,
        "--brief",
    ]
    environment = {URL: places.broker_url, SAMPLE: folder.database}
    return _program("spark", folder, "pipelines", *what, environment=environment)


def _program(
    name: str, folder: UpFolder, *arguments: str, environment: Mapping[str, str] | None = None
) -> Program:
    return Program(
        name=name,
        arguments=[sys.executable, "-m", "penstock", *arguments],
        log=folder.log(name),
        environment={**(environment or {}), CHILD: "1"},
    )
