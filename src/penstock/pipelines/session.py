"""Spark sessions that start quickly, are quiet, and leave nothing behind.

    with open_session("orders") as spark:
        spark.sql("SELECT 1").show()

`stop`, the end of the `with`, Ctrl-C and the end of the program close the session in good order: Java has
ended and its folder is gone. What a killed one leaves is removed by the next.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import SparkUnavailable
from penstock.pipelines import sockets
from penstock.pipelines.archive import Archive
from penstock.pipelines.configuration import (
    FORKING,
    PRELOADED,
    check,
    is_configured,
    is_local,
    is_on_this_machine,
    masters,
    needs_launcher,
    settings_for,
)
from penstock.pipelines.folders import Workspace, cache_folder, sweep
from penstock.pipelines.java import find_java
from penstock.pipelines.jvm import Jvm, command, launcher_command, spark_home
from penstock.pipelines.telling import told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from penstock.pipelines.attaching import Session

__all__ = ["archive_here", "open_session"]

#: The heap of a driver's Java, as Spark writes sizes.
MEMORY: Final = "1g"

#: For a command that asks few questions: machine code made quickly, not well, and no threads for rubbish.
BRIEF: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

#: What Spark writes to standard error.
LOGGING: Final = Path(__file__).with_name("log4j2.properties")

#: Seconds in which a cluster's master must accept a connection.
REACHED_WITHIN_S: Final = 5.0


def open_session(
    name: str = "penstock",
    master: str = "local[*]",
    *,
    memory: str = MEMORY,
    settings: Mapping[str, str] | None = None,
    brief: bool = False,
    preload: Sequence[str] = (),
    progress: bool | None = None,
) -> SparkSession:
    """Start Spark, which knows the format `penstock` then.

    Args:
        name: What Spark calls the application.
        master: `local[*]`, all cores of this machine; `local[2]`, two; `spark://host:7077`, or any other that
            Spark knows.
        memory: What Java may have for itself, in local mode also for the work.
        settings: Spark's, as its manual has them; they overrule ours.
        brief: It is for few, short questions: answers come sooner, long work takes longer.
        preload: Modules that Python workers need, and that start no thread when they are imported. On this
            machine they are imported once for all of them.
        progress: Whether standard error tells that it starts; if not said, only a terminal is told.

    Raises:
        NoJava: there is no Java that is new enough.
        SparkUnavailable: Spark is not installed, cannot be started, or is open in this process already.
        BadSetting: no master, or no size of memory, can be like that.
    """
    check(master, memory)
    _refuse_a_second()
    _reach(master)
    archive = archive_here()
    hint = "" if archive.is_made else "; 'penstock spark archive' makes this quicker"
    with ExitStack() as ending, told(f"Starting Spark on Java {archive.java.version}{hint}", shown=progress):
        above = Path(tempfile.gettempdir())
        sweep(above)
        workspace = ending.enter_context(Workspace(above))
        forked = preload if is_local(master) else ()
        python = sockets.maybe_python(workspace.path) if is_local(master) else None
        given = (FORKING if forked else {}) | (sockets.SETTINGS if python else {}) | dict(settings or {})
        wanted = settings_for(name, master, workspace.path, given)
        arguments = _arguments(archive, wanted, workspace, memory=memory, brief=brief)
        environment = _environment(archive.java.home, master, python or sys.executable, forked)
        ending.enter_context(_changed(environment))
        jvm = Jvm(arguments, folder=workspace.path)
        ending.callback(jvm.end)
        return _attached(jvm, master, wanted, workspace, ending)


def archive_here() -> Archive:
    """The class-data archive for the Java and the Spark of this machine, made or not.

    Raises:
        NoJava: there is no Java that is new enough.
        SparkUnavailable: Spark is not installed.
    """
    home, cache = spark_home(), cache_folder(os.environ)
    return Archive(java=find_java(os.environ, cache), home=home, folder=cache / "spark")


def _arguments(
    archive: Archive, settings: Mapping[str, str], workspace: Workspace, *, memory: str, brief: bool
) -> list[str]:
    """The command line of the Java to start, or of Spark's launcher if that must start it."""
    home, memory = archive.home, settings.get("spark.driver.memory", memory)
    options = [f"-Djava.io.tmpdir={workspace.folder('tmp')}", *(BRIEF if brief else ())]
    has_files = is_configured(home, os.environ)
    if not has_files:
        options.append(f"-Dlog4j2.configurationFile={LOGGING.as_uri()}")
    if has_files or needs_launcher(settings["spark.master"], settings):
        return launcher_command(home, memory=memory, options=options, settings=settings)
    options += archive.options()
    return command(archive.java, home, memory=memory, options=options, settings=settings)


def _attached(
    jvm: Jvm, master: str, settings: Mapping[str, str], workspace: Workspace, ending: ExitStack
) -> Session:
    # An import that takes half a second, while Java starts.
    from penstock.pipelines.attaching import attach, forget_paths  # noqa: PLC0415
    from penstock.pipelines.registering import register  # noqa: PLC0415
    from penstock.pipelines.shipping import pack  # noqa: PLC0415

    ending.callback(forget_paths, workspace.path)
    session = attach(jvm.connection(), settings, ending)
    try:
        register(session)
        if not master.startswith("local"):
            session.sparkContext.addPyFile(str(pack(workspace.path)))
    except BaseException:
        session.stop()
        raise
    return session


def _refuse_a_second() -> None:
    module = sys.modules.get("pyspark.core.context")
    if module is not None and module.SparkContext._active_spark_context is not None:  # noqa: SLF001 (there is no other way to ask)
        raise SparkUnavailable(
            "a Spark session is open in this process, and Spark allows one: use it, or stop it first"
        )


def _reach(master: str) -> None:
    """Say at once what Spark says after a minute: that no master answers."""
    addresses = masters(master)
    for address in addresses:
        with contextlib.suppress(OSError), socket.create_connection(address, timeout=REACHED_WITHIN_S):
            return
    if addresses:
        raise SparkUnavailable(f"no Spark master answers at {master}")


def _environment(
    java_home: Path, master: str, python: Path | str, preloaded: Sequence[str]
) -> dict[str, str]:
    """What Java, and the Pythons that it starts, are told."""
    environment = {"JAVA_HOME": str(java_home), "PYSPARK_PYTHON": str(python)}
    if preloaded:
        environment[PRELOADED] = ",".join(preloaded)
    if is_on_this_machine(master):
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    elif named := os.environ.get("PYSPARK_PYTHON"):
        # On other machines, Python may be somewhere else.
        environment["PYSPARK_PYTHON"] = named
    return environment


@contextmanager
def _changed(environment: Mapping[str, str]) -> Iterator[None]:
    """This process's environment, with changes, until later; pyspark reads it, and adds to it."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        for name in [*environment, "SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"]:
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]
