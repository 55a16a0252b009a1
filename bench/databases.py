"""The databases that a DID domain is measured on, each new and empty."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import postgresql
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["DATABASES"]


@contextlib.contextmanager
def sqlite(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder}/domain.db"


@contextlib.contextmanager
def server(folder: Path) -> Iterator[str]:
    """A real PostgreSQL as its package sets it up."""
    running = postgresql.start(obtain(PROGRAMS["postgresql"], notes=folder))
    assert running.running is not None
    try:
        yield postgresql.url_of(running.running)
    finally:
        running.destroy()


#: By name, what opens it in a folder, and gives its URL.
DATABASES: Final[dict[str, Callable[[Path], contextlib.AbstractContextManager[str]]]] = {
    "sqlite": sqlite,
    "postgresql": server,
}
