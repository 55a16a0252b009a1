"""The real programs that tests hold Penstock against: what they are called and how they come here.

A program is looked for first; root may have apt install it. Nothing here starts one, and nothing
here knows pytest: plugin.py turns a missing program into a skip or a failure.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Where Debian keeps servers that are not on everyone's PATH.
MORE_PLACES = ("/usr/local/sbin", "/usr/sbin", "/usr/lib/postgresql/*/bin")

#: Asked by Debian's packages before they start a service; 101 is "not now".
POLICY = Path("/usr/sbin/policy-rc.d")

#: In the environment of everything that an installation starts.
MARK = "PENSTOCK_INSTALLATION"


class ProgramMissing(Exception):
    """A real program is not here and cannot be brought here; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program by the name tests use: the commands it may go by, and the Debian package that brings it."""

    name: str
    commands: tuple[str, ...]
    package: str


PROGRAMS = {
    program.name: program
    for program in (
        Program(name="amqp-tools", commands=("amqp-publish",), package="amqp-tools"),
        Program(name="bash", commands=("bash",), package="bash"),
        Program(name="beanstalkd", commands=("beanstalkd",), package="beanstalkd"),
        Program(
            name="chromium", commands=("chromium", "chromium-browser", "google-chrome"), package="chromium"
        ),
        Program(name="java", commands=("java",), package="default-jre-headless"),
        Program(name="node", commands=("node", "nodejs"), package="nodejs"),
        Program(name="npm", commands=("npm",), package="npm"),
        Program(name="postgresql", commands=("postgres",), package="postgresql"),
        Program(name="rabbitmq", commands=("rabbitmq-server",), package="rabbitmq-server"),
    )
}


def maybe_find(program: Program) -> Path | None:
    """Where the program is, if it is here."""
    more = [str(place) for pattern in MORE_PLACES for place in Path("/").glob(pattern.lstrip("/"))]
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *more])
    for command in program.commands:
        if found := shutil.which(command, path=path):
            return Path(found)
    return None


def obtain(program: Program, *, notes: Path) -> Path:
    """Find the program, or install it if we are root.

    Args:
        program: What is wanted.
        notes: A folder shared by all processes of this test run, so that each package is tried once.

    Raises:
        ProgramMissing: it is not here, and why it could not be installed.
    """
    if found := maybe_find(program):
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise ProgramMissing(f"{program.name} is not here; have root run 'apt-get install {program.package}'")
    with (notes / "apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        note = notes / f"apt-{program.package}.failed"
        if maybe_find(program) is None and not note.exists():
            note.write_text(apt_install(program.package))
        if found := maybe_find(program):
            return found
        raise ProgramMissing(f"{program.name} could not be installed: {note.read_text()}")


def apt_install(package: str) -> str:
    """Install a package without starting its service. Returns the last thing apt had to say."""
    install = [
        "apt-get",
        "install",
        "-qq",
        "--no-install-recommends",
        "-o",
        "DPkg::Lock::Timeout=300",
        package,
    ]
    with services_kept_still(), nothing_left_behind() as marked:
        for command in (install, ["apt-get", "update", "-qq"], install):
            done = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, **marked, "DEBIAN_FRONTEND": "noninteractive"},
            )
            if command is install and done.returncode == 0:
                break
    return (done.stdout.strip().splitlines() or ["apt-get said nothing"])[-1]


@contextlib.contextmanager
def services_kept_still() -> Iterator[None]:
    """Keep newly installed packages from starting their services: a test starts its own server."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


@contextlib.contextmanager
def nothing_left_behind() -> Iterator[dict[str, str]]:
    """End what the scripts of packages start and leave: those of RabbitMQ leave Erlang's port mapper.

    Yields:
        What to add to the environment of the installation: its processes, and no others, are known by it.
    """
    name, value = MARK, uuid.uuid4().hex
    try:
        yield {name: value}
    finally:
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"{name}={value}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGTERM)
