"""Disks that a test can fill up or write-protect; only root can make them, others skip, visibly."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of its own in a folder."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield
    finally:
        # A Java that could not write to a file may keep it open until it looks for rubbish.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def protect(folder: Path) -> None:
    """Nobody can write on the disk any more."""
    _mount("-o", "remount,ro", str(folder))


def unprotect(folder: Path) -> None:
    _mount("-o", "remount,rw", str(folder))


@contextmanager
def protected(folder: Path) -> Iterator[None]:
    """Nobody can make or write files in a folder, whatever is open elsewhere on its disk."""
    _mount("--bind", str(folder), str(folder))
    try:
        _mount("-o", "remount,bind,ro", str(folder))
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path, left: int) -> Path:
    """Take all room but so many bytes; the file that takes it."""
    ballast, status = disk / "ballast", os.statvfs(disk)
    ballast.write_bytes(bytes(status.f_bavail * status.f_frsize - left))
    return ballast


def _mount(*arguments: str) -> None:
    try:
        made = subprocess.run(["mount", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount: what a disk can do is not tested")
    if made.returncode:
        pytest.skip(f"what a disk can do is not tested: {made.stderr.decode().strip()}")
