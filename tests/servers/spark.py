"""A real standalone cluster from the pip package: a master and two workers, each a process on this machine.

It is thrown away afterwards, so it is killed, not asked; a worker's executors are in its process group.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.pipelines.java import find_java
from penstock.pipelines.jvm import options_for, spark_home
from tests.servers.running import (
    HOST,
    UP_WITHIN_S,
    DidNotStart,
    Process,
    Running,
    free_port,
    launch,
    wait_until_it_listens,
)

if TYPE_CHECKING:
    from subprocess import Popen

    from penstock.pipelines.java import Java

#: Workers, each with one core: two tasks at once, in two processes.
WORKERS = 2

#: What does little: machine code made quickly, no threads for rubbish; half the time of a short life.
FRUGAL = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def start(folder: Path) -> Running:
    """Start the cluster in the folder and return when all workers have signed on."""
    java = find_java(os.environ, folder)
    port, page = free_port(), free_port()
    where = ("--host", HOST, "--port", str(port), "--webui-port", str(page))
    master = _launch(java, folder, "master", *where)
    children = [master]
    try:
        wait_until_it_listens(port, child=master, log=folder / "master.log")
        offer = ("--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "1g")
        children += [
            _launch(java, folder, "worker", *offer, f"spark://{HOST}:{port}", name=f"worker-{number}")
            for number in range(WORKERS)
        ]
        _wait_for_workers(page)
    except BaseException:
        _running(port, children).end()
        raise
    return _running(port, children)


def url_of(running: Running) -> str:
    """The cluster, as Spark likes to be told."""
    return f"spark://{running.host}:{running.port}"


def executors(running: Running) -> list[int]:
    """The process ids of the executors that run at the moment: the workers' children."""
    workers = {process.pid for process in running.processes[:-1]}
    return [pid for pid in _pids() if _parent(pid) in workers]


def _running(port: int, children: list[Popen[bytes]]) -> Running:
    # The master last: workers complain about its end.
    processes = [Process.of(child, farewell=signal.SIGKILL) for child in reversed(children)]
    return Running(name="spark", port=port, processes=tuple(processes))


def _launch(java: Java, folder: Path, role: str, *arguments: str, name: str = "") -> Popen[bytes]:
    name = name or role
    for kind in ("work", "local"):
        (folder / kind / name).mkdir(parents=True)
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK", "PYSPARK"))}
    environment = inherited | {
        "JAVA_HOME": str(java.home),
        "SPARK_HOME": str(spark_home()),
        # A worker that starts an executor would look for a folder where Spark was built.
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local" / name),
        "SPARK_WORKER_DIR": str(folder / "work" / name),
        "PYSPARK_PYTHON": sys.executable,
    }
    main = f"org.apache.spark.deploy.{role}.{role.capitalize()}"
    options = ("-Xmx256m", *FRUGAL, *options_for(java.version))
    command: list[str | Path] = [java.program, "-cp", f"{spark_home()}/jars/*", *options, main, *arguments]
    return launch(command, folder=folder, environment=environment, log=folder / f"{name}.log")


def _wait_for_workers(page: int) -> None:
    until = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{page}/json/", timeout=5) as answer:
                if json.load(answer)["aliveworkers"] == WORKERS:
                    return
        except (OSError, ValueError):
            pass  # a page that is not up yet, or up before what it tells
        time.sleep(0.05)
    raise DidNotStart(f"the cluster has not got {WORKERS} workers")


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
