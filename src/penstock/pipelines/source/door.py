"""The door of a planner: where the driver's program tells it that a batch is done.

Spark runs a source's planner in a process of its own, which alone has the lease and the broker's password.
A Unix socket in a folder that only this user may enter; a line with a position goes in, an empty line comes
back when that is committed, else what went wrong.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Door", "tell"]

#: Seconds for the answer.
WITHIN: Final = 30.0
PREFIX: Final = "penstock-door-"
NAME: Final = "door"
#: Bytes that a path of a Unix socket may have, less what a door's own name takes.
LONGEST: Final = 70
#: Where every machine that has such sockets keeps what passes.
ELSEWHERE: Final = "/tmp"  # noqa: S108 (the folder in it is made with a name that nobody knows)
#: What who knocks is told where nobody is.
_NOBODY: Final = frozenset({errno.ECONNREFUSED, errno.ENOENT})


class Door:
    """Open from when it is made until `close`."""

    def __init__(self, commit: Callable[[int], str | None]) -> None:
        """`commit` is called in a thread of the door's own; what it returns, if anything, is the answer."""
        self._commit = commit
        _sweep()
        # Nobody may take it for a dead one's before somebody answers: it gets its name afterwards.
        nameless = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=_place()))
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(nameless / NAME))
        self._listening.listen()
        self._folder = nameless.rename(nameless.with_name(nameless.name.removeprefix(".")))
        self.path = str(self._folder / NAME)
        self._thread = threading.Thread(target=self._serve, name="penstock door", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Door {self.path}>"

    def close(self) -> None:
        """Shut it; whoever knocks finds nobody."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _serve(self) -> None:
        with suppress(OSError):  # shut
            while True:
                visitor, _ = self._listening.accept()
                with visitor, suppress(OSError):
                    visitor.settimeout(WITHIN)
                    visitor.sendall(self._answer(visitor.recv(64)).encode() + b"\n")

    def _answer(self, said: bytes) -> str:
        try:
            return self._commit(int(said)) or ""
        except (PenstockError, ValueError) as error:
            return str(error)


def tell(door: str, position: int) -> str:
    """Tell a planner that everything up to a position is done; what went wrong, if anything did.

    Raises:
        OSError: nobody is there.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knocking:
        knocking.settimeout(WITHIN)
        knocking.connect(door)
        knocking.sendall(str(position).encode() + b"\n")
        return knocking.makefile("r").readline().strip()


def _place() -> str:
    """The folder for what passes, if a socket can be in it."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= LONGEST else ELSEWHERE


def _sweep() -> None:
    """Remove the doors of planners that were killed, as Spark ends them."""
    for folder in Path(_place()).glob(f"{PREFIX}*"):
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knocking:
            # Not waited for: at the door of a planner that is stopped, a queue may stand for ever.
            knocking.settimeout(0)
            is_dead = knocking.connect_ex(str(folder / NAME)) in _NOBODY
            if is_dead and folder.stat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
