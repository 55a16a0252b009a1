"""Clients of Node: installed once for a run, each where `require` finds it."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

from tests.conversations.programs import run

if TYPE_CHECKING:
    from pathlib import Path

#: From npm's own cache if it is there, without asking what is wrong with it; nothing that comes is run.
QUIETLY = (
    "--no-save",
    "--no-package-lock",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
)


def installed(package: str, *, npm: Path, run_folder: Path) -> Path:
    """The folder that has the package, which is named with its version; for NODE_PATH."""
    name = package.rpartition("@")[0]
    plain = name.replace("/", "-")
    folder = run_folder / f"node-{plain}"
    folder.mkdir(exist_ok=True)
    with (run_folder / f"node-{plain}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "node_modules" / name / "package.json").exists():
            run([npm, "install", *QUIETLY, "--prefix", folder, package], folder=folder)
    return folder / "node_modules"
