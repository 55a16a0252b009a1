"""Runs a client that is a program of its own: a bounded time, and what it said if it fails."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

#: Seconds; each needs one or two.
PATIENCE_S = 180


def run(
    arguments: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    said: str = "",
) -> str:
    """What the program wrote on its standard output; it must end well."""
    done = subprocess.run(
        arguments,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        input=said,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, f"{arguments[0]} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
