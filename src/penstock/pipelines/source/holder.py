"""Who holds a reader: a process, named so that others on the same machine can see whether it lives.

Spark kills its planners, so they cannot let go of what they hold; the next one does it for a dead one,
instead of waiting for the lease to run out. Of another machine's process nobody here can tell.
"""

from __future__ import annotations

import os
import re
import socket
import zlib
from pathlib import Path
from typing import Final

__all__ = ["is_alive", "this_process"]

_NAME: Final = re.compile(r".* process (\d+) \((\w*)-(\w*)\)")


def this_process() -> str:
    """The name of this process as a holder."""
    pid = os.getpid()
    return f"{socket.gethostname()} process {pid} ({_machine()}-{_started(pid)})"


def is_alive(holder: str) -> bool | None:
    """Whether a process of this machine lives; None for anybody else."""
    found = _NAME.fullmatch(holder)
    if found is None or not _machine() or found[2] != _machine():
        return None
    return _started(int(found[1])) == found[3]


def _machine() -> str:
    """What tells this machine, its start and this container; empty if nobody can."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        container = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
    return f"{zlib.crc32((boot + container).encode()):08x}"


def _started(pid: int) -> str:
    """When a process started, for its id may by now be another's; empty if it is gone."""
    try:
        # The command is in parentheses and may hold anything; state is field 3, start is field 22.
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
