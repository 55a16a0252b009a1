"""What the doctor says of this machine: whether `penstock up` has what it needs here, and what it lacks."""

from __future__ import annotations

import os
import resource
import shutil
from typing import TYPE_CHECKING, Final

from penstock.cli.parts import NEEDED, SPARK, missing
from penstock.errors import CannotListen, NoJava
from penstock.messaging.doctor import Finding, Severity
from penstock.server.listening import listen
from penstock.settings import Settings
from penstock.settings.address import Address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["examine_machine"]

#: Bytes that are little: a broker blocks its publishers at the setting disk_free_limit.
LITTLE_DISK: Final = 1_000_000_000
#: Open files that are few: each connection is one.
FEW_FILES: Final = 4096
GIGABYTE: Final = 1_000_000_000


def examine_machine(data: Path, ports: Mapping[str, int]) -> list[Finding]:
    """All that there is to say.

    Args:
        data: The folder where everything is to be kept.
        ports: The customary ones, by what is spoken there.
    """
    return [*_ports(ports), *_disk(data), *_files(), *_libraries(), *_java()]


def _ports(ports: Mapping[str, int]) -> Iterator[Finding]:
    for name, port in ports.items():
        try:
            found = listen(name, Address("localhost", port))
        except CannotListen:
            told = "somebody listens there; `penstock up` takes the next free one"
            yield Finding(Severity.RISK, f"port {port} ({name})", told)
            continue
        for each in found:
            each.close()
        yield Finding(Severity.NOTE, f"port {port} ({name})", "free")


def _disk(data: Path) -> Iterator[Finding]:
    place = data.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        yield Finding(Severity.REFUSED, f"folder {place}", "it cannot be written: take another with --data")
        return
    free = shutil.disk_usage(place).free
    told = f"{free / GIGABYTE:.1f} GB are free"
    if free < Settings().disk_free_limit:
        yield Finding(Severity.REFUSED, f"disk of {place}", f"{told}: publishers would be blocked")
    elif free < LITTLE_DISK:
        yield Finding(Severity.RISK, f"disk of {place}", f"{told}, which is little")
    else:
        yield Finding(Severity.NOTE, f"disk of {place}", told)


def _files() -> Iterator[Finding]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= most < FEW_FILES:
        told = f"at most {most}, and each connection is one: raise it with `ulimit -Hn`, as root"
        yield Finding(Severity.RISK, "open files", told)
    else:
        yield Finding(Severity.NOTE, "open files", f"at most {most}" if most >= 0 else "as many as you like")


def _libraries() -> Iterator[Finding]:
    for part in NEEDED:
        why = missing(part)
        severity = Severity.NOTE if why is None else Severity.RISK
        yield Finding(severity, part, why or "everything that it needs is installed")


def _java() -> Iterator[Finding]:
    if missing(SPARK) is not None:
        return
    from penstock.pipelines.session import archive_here  # noqa: PLC0415 (Spark's library is a large one)

    try:
        archive = archive_here()
    except NoJava as exc:
        yield Finding(Severity.RISK, "Java", str(exc))
        return
    hint = "" if archive.is_made else "; `penstock spark archive` halves the time that it takes to start"
    yield Finding(Severity.NOTE, "Java", f"{archive.java}{hint}")
