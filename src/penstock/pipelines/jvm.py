"""The Java process that a session talks to: its command line, its start, its end.

Spark's own way starts a shell, then a Java that writes a command line, then the Java that is wanted. This
starts the last one at once, which saves two seconds and lets it use a class-data archive; pyspark attaches.
The process ends when its standard input does: with us, however we end.
Imports no pyspark, so that Java starts while that is imported.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shlex
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.clock import SystemClock
from penstock.errors import SparkUnavailable
from penstock.pipelines.java import major

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.pipelines.java import Java

__all__ = ["Connection", "Jvm", "class_path", "command", "launcher_command", "options_for", "spark_home"]

#: Seconds in which Java must answer; ten is usual on two busy cores.
UP_WITHIN_S: Final = 120.0

#: Seconds Java gets to end by itself: it removes its files.
DOWN_WITHIN_S: Final = 20.0

GATEWAY: Final = "org.apache.spark.api.python.PythonGatewayServer"

#: Packages that Spark looks into (org.apache.spark.launcher.JavaModuleOptions).
_OPENED: Final = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)

#: The last Java that has a package; a later one warns about it.
_LAST: Final = {"java.base/sun.security.action": 23}

#: As Spark's launcher has them.
_OPTIONS: Final = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Where a Java listens for Python, and what it must be told."""

    port: int
    secret: str


def spark_home() -> Path:
    """Where Spark is: SPARK_HOME, or the folder of the package pyspark.

    Raises:
        SparkUnavailable: it is not installed.
    """
    if named := os.environ.get("SPARK_HOME"):
        return Path(named)
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise SparkUnavailable("Spark is not installed: pip install 'penstock[spark]'")
    return Path(found.origin).parent


def options_for(version: str) -> list[str]:
    """What a Java of that version is told for Spark; nothing of the vector module, which a slim one lacks."""
    opened = [package for package in _OPENED if major(version) <= _LAST.get(package, sys.maxsize)]
    return [*_OPTIONS, *(f"--add-opens={package}=ALL-UNNAMED" for package in opened)]


def command(
    java: Java, home: Path, *, memory: str, options: Sequence[str], settings: Mapping[str, str]
) -> list[str]:
    """The command line of a driver's Java."""
    return [
        str(java.program),
        "-cp",
        class_path(home, settings),
        f"-Xmx{memory}",
        *options_for(java.version),
        *options,
        *shlex.split(settings.get("spark.driver.extraJavaOptions", "")),
        GATEWAY,
    ]


def launcher_command(
    home: Path, *, memory: str, options: Sequence[str], settings: Mapping[str, str]
) -> list[str]:
    """The command line of Spark's own launcher, which becomes a driver's Java in the end."""
    extra = " ".join([*map(shlex.quote, options), settings.get("spark.driver.extraJavaOptions", "")])
    passed = {**settings, "spark.driver.memory": memory, "spark.driver.extraJavaOptions": extra.strip()}
    pairs = [word for name, value in passed.items() for word in ("--conf", f"{name}={value}")]
    return [str(home / "bin" / "spark-submit"), *pairs, "pyspark-shell"]


def class_path(home: Path, settings: Mapping[str, str]) -> str:
    """Spark's jars, always in the same order, as an archive wants them; then the user's."""
    more = settings.get("spark.jars", "").replace(",", os.pathsep)
    last = settings.get("spark.driver.extraClassPath", "")
    jars = sorted(str(jar) for jar in (home / "jars").glob("*.jar"))
    return os.pathsep.join([*jars, *filter(None, (more, last))])


class Jvm:
    """A Java process that was started, and may be ended."""

    __slots__ = ("_note", "_process")

    def __init__(self, arguments: Sequence[str], *, folder: Path) -> None:
        """Start it; `connection` waits until it answers. The folder is for what it must tell."""
        self._note = folder / "connection"
        self._process = subprocess.Popen(  # noqa: S603 (the arguments are ours)
            arguments,
            env={**os.environ, "SPARK_CONNECT_MODE": "0", "_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._note)},
            stdin=subprocess.PIPE,
            # Ctrl-C is for Python, which then ends this in good order.
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def connection(self) -> Connection:
        """Where it listens, as soon as it does.

        Raises:
            SparkUnavailable: it ended, or does not answer.
        """
        clock = SystemClock()
        until = clock.now() + UP_WITHIN_S
        while not self._note.exists():
            if self._process.poll() is not None:
                raise SparkUnavailable(
                    f"Java ended with {self._process.returncode} before Spark was up; it said why above"
                )
            if clock.now() > until:
                raise SparkUnavailable(f"Spark's Java has not answered for {UP_WITHIN_S:.0f} seconds")
            time.sleep(0.01)
        return _read(self._note.read_bytes())

    def end(self) -> None:
        """Let it end by itself, and kill it if it does not; once it has ended, nothing happens."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(DOWN_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __repr__(self) -> str:
        return f"<Jvm {self.pid} {'up' if self._process.poll() is None else 'ended'}>"


def _read(note: bytes) -> Connection:
    """What PythonGatewayServer writes, and renames into place when it is whole: port, length, secret."""
    port, length = struct.unpack_from(">ii", note)
    return Connection(port=port, secret=note[8 : 8 + length].decode())
