"""Programs with a Spark session of their own, for tests that end them in all the ways there are."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

#: Seconds within which a program says its next line, or ends; a session takes five to thirty.
PATIENCE_S = 600


class Program:
    """A Python program, in a process of its own, that is ended with the test."""

    def __init__(
        self, code: str, *arguments: object, folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            cwd=folder,
            env={**_plain(), "TMPDIR": str(folder), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def line(self) -> str:
        """What it says next; it is an error if it says nothing more."""
        assert self.process.stdout is not None
        impatience = threading.Timer(PATIENCE_S, self.process.kill)
        impatience.start()
        try:
            said = self.process.stdout.readline()
        finally:
            impatience.cancel()
        assert said, f"it ended with {self.process.wait()}: {self.errors()}"
        return said.strip()

    def errors(self) -> str:
        """All that it said on standard error, when it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def without_java(folder: Path) -> dict[str, str]:
    """An environment in which no Java is to be found but the package's, and what a shell script needs is."""
    folder.mkdir()
    for place in ("/bin", "/usr/bin"):
        for tool in ("bash", "sh", "dirname", "env", "uname", "ps", "tr", "cat"):
            with contextlib.suppress(FileExistsError):
                if Path(place, tool).exists():
                    (folder / tool).symlink_to(Path(place, tool))
    return {"PATH": str(folder), "JAVA_HOME": ""}


def _plain() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
