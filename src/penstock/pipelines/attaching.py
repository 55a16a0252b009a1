"""Where pyspark meets a Java that we have started: the session, and how it comes to its end.

Importing this imports pyspark; session.py does so when Java is on its way.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, Final

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from penstock.errors import SparkUnavailable
from penstock.pipelines.keeping import keep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import ExitStack
    from pathlib import Path

    from penstock.pipelines.jvm import Connection

__all__ = ["Session", "attach"]


#: They write every error that pyspark raises to standard error first, as JSON with Java's whole stack.
_TALKATIVE: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class Session(SparkSession):
    """A session that, when it is stopped, takes its Java and its folder with it."""

    #: What there is to do then. pyspark allows one Java a process, so it is the class's.
    ending: ClassVar[ExitStack | None] = None
    #: The process it belongs to: one that was forked from it ends without it.
    owner: ClassVar[int] = 0

    def stop(self) -> None:
        """Close it in good order; once it is closed, nothing happens."""
        ending, Session.ending = Session.ending, None
        if ending is not None and os.getpid() == Session.owner:
            with suppress(Py4JError, OSError):
                keep(sys.exc_info()[1])
            atexit.unregister(self.stop)
            ending.close()


def attach(connection: Connection, settings: Mapping[str, str], ending: ExitStack) -> Session:
    """A session on the Java that was started; from now on it sees to its own ending.

    Raises:
        SparkUnavailable: Spark does not want to start like that.
    """
    for name in _TALKATIVE:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
    # The variables by which pyspark is told of a Java that runs already.
    os.environ["PYSPARK_GATEWAY_PORT"] = str(connection.port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = connection.secret
    try:
        gateway = launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
    ending.callback(_detach)
    if threading.current_thread() is threading.main_thread():
        # pyspark puts a handler in place that knows a context which will be gone.
        ending.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
    conf = SparkConf(loadDefaults=False).setAll([*settings.items()])
    try:
        session = Session(SparkContext(conf=conf, gateway=gateway))
    except Py4JJavaError as exc:
        raise SparkUnavailable(f"Spark did not start: {_first_line(exc)}") from exc
    ending.callback(_stop, session)
    Session.ending, Session.owner = ending.pop_all(), os.getpid()
    atexit.register(session.stop)
    return session


def forget_paths(below: Path) -> None:
    """Take the folders that pyspark has put into the module search path out of it."""
    sys.path[:] = [entry for entry in sys.path if not entry.startswith(f"{below}{os.sep}")]


def _stop(session: Session) -> None:
    """Stop what runs on it, then itself; a Java that is dead already is no reason to complain."""
    with warnings.catch_warnings(), suppress(Py4JError, OSError):
        warnings.simplefilter("ignore", RuntimeWarning)
        for query in session.streams.active:
            query.stop()
        SparkSession.stop(session)
    # What pyspark keeps if that went wrong would stand in the way of the next session.
    SparkSession._instantiatedSession = None  # noqa: SLF001
    SparkSession._activeSession = None  # noqa: SLF001


def _detach() -> None:
    """Forget the Java, so that the next session may have another."""
    # pyspark itself never does: its Java ends with the program.
    gateway, SparkContext._gateway = SparkContext._gateway, None  # noqa: SLF001
    SparkContext._jvm = None  # noqa: SLF001
    if gateway is not None:
        with suppress(Py4JError, OSError):
            gateway.shutdown()


def _first_line(error: Py4JJavaError) -> str:
    """What the Java exception says: `java.lang.IllegalArgumentException: …`, without its stack."""
    return str(error.java_exception.toString()).partition("\n")[0]
