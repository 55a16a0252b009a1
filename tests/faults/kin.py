"""The processes that a process has started, and those that they have."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

__all__ = ["kin_of"]


def kin_of(pid: int) -> dict[int, str]:
    """The commands of all that descend from a process and live, by their ids; the elders first."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The command is in parentheses and may hold anything; state is field 3, the parent field 4.
            state, parent = path.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state not in "ZX":
                children.setdefault(int(parent), []).append(int(path.parent.name))
    found: dict[int, str] = {}
    ahead = children.get(pid, [])
    while ahead:
        each = ahead.pop(0)
        found[each] = _command(each)
        ahead += children.get(each, [])
    return found


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ").strip()
    return ""
