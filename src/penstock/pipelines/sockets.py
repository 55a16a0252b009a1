"""Unix sockets between Java and the Pythons that it starts, where all of them are on this machine.

They spare both sides the layers of the network: with rows of 1 KB, a batch takes a quarter less. But such a
socket tells at once that the other side has hung up, which Spark does on every Python that was idle for a
minute; each would print a page about it. So a script starts them that has them leave quietly (leaving.py):
there is no setting by which Spark would start its planners otherwise.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SETTINGS", "maybe_python"]

#: What Spark is told.
SETTINGS: Final = {"spark.python.unix.domain.socket.enabled": "true"}
#: Bytes that the path of a workspace may have: one of a Unix socket has 107, of which Java's folder for what
#: passes and the name that Spark gives the socket take the rest.
LONGEST: Final = 60

_SCRIPT: Final = """#!/bin/sh
# Python, as Spark starts it: -m MODULE ARGUMENT…
[ "$1" = -m ] && shift && set -- -m penstock.pipelines.leaving "$@"
exec {python} "$@"
"""


def maybe_python(workspace: Path) -> Path | None:
    """The Python to be started, made in a session's workspace; None if it cannot be with sockets there."""
    if len(os.fsencode(workspace)) > LONGEST:
        return None
    script = workspace / "python"
    script.write_text(_SCRIPT.format(python=shlex.quote(sys.executable)))
    script.chmod(0o700)
    # Some machines let no program be run from where they keep what passes.
    return script if os.access(script, os.X_OK) else None
