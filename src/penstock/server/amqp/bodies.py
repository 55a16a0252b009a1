"""Large bodies: kept in content files, never whole in memory.

A body has a file name of its own for as long as something in this process needs it; what the store
keeps of it gets a further name, a link, which is the store's to delete. So neither has to know when the
other is done, and nothing is ever copied.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.store import Contents, Growing, Readable

__all__ = ["PIECE", "LargeBodies", "LargeBody"]

log = logging.getLogger(__name__)

#: Bytes read or written in one go.
PIECE: Final = 256 * 1024
#: So many files are read and written at the same time; the disk has one head, or a few.
THREADS: Final = 4

T = TypeVar("T")


class LargeBodies:
    """Where a broker's large bodies are, and the threads that touch them: a slow disk is not waited for."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="penstock-bodies")
        self._gone: list[str] = []
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<LargeBodies in {self._contents!r}>"

    def run(self, work: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        """Have something done that may wait for the disk."""
        loop = asyncio.get_running_loop()
        if self._is_closed:
            # What a last client left is cleared away while the broker ends, and nobody else waits.
            done: asyncio.Future[T] = loop.create_future()
            done.set_result(work(*arguments))
            return done
        return loop.run_in_executor(self._threads, work, *arguments)

    def create(self) -> Growing:
        """Begin a file; on a thread."""
        return self._contents.create()

    def made(self, name: str, length: int) -> LargeBody:
        """A body that has come in: its file goes with it."""
        return LargeBody(self, name, length, is_ours=True)

    def found(self, name: str, length: int) -> LargeBody:
        """A body in the store: its file goes when the store says so."""
        return LargeBody(self, name, length, is_ours=False)

    def open(self, name: str) -> Readable:
        """Begin to read a file."""
        return self._contents.open(name)

    def link(self, name: str) -> str | None:
        """Another name for a file, None if there cannot be one."""
        try:
            return self._contents.link(name)
        except StoreError as error:
            log.error("the content %s cannot be linked: %s", name, error)  # noqa: TRY400 (says it all)
            return None

    def forget(self, name: str) -> None:
        """Delete a file, soon: a large one takes its time."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._contents.delete([name])
            return
        if not self._gone:
            loop.call_soon(self._delete)
        self._gone.append(name)

    def _delete(self) -> None:
        names, self._gone = self._gone, []
        if self._is_closed:
            self._contents.delete(names)
        else:
            self._threads.submit(self._contents.delete, names)

    def close(self) -> None:
        """Finish what is being done."""
        self._is_closed = True
        self._threads.shutdown()


class LargeBody:
    """One body in a file. The file is there while this object is, unless the disk has lost it."""

    __slots__ = ("_bodies", "_is_ours", "length", "name")

    def __init__(self, bodies: LargeBodies, name: str, length: int, *, is_ours: bool) -> None:
        self._bodies = bodies
        self._is_ours = is_ours
        self.name = name
        self.length = length

    def __repr__(self) -> str:
        return f"<LargeBody {self.name}, {self.length} bytes>"

    def __del__(self) -> None:
        # The last message or stream that needs it is gone.
        if self._is_ours:
            self._bodies.forget(self.name)

    def keep(self) -> str:
        """A name for the store to keep, and to delete."""
        name = self._bodies.link(self.name)
        if name is None:
            # A full disk may have no room for a name: the store gets this one.
            self._is_ours = False
            return self.name
        return name

    def hold(self) -> LargeBody:
        """The same body, whatever the store deletes meanwhile."""
        if self._is_ours:
            return self
        name = self._bodies.link(self.name)
        return self if name is None else self._bodies.made(name, self.length)

    def on_thread(self, work: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        """Have something done with it that may wait for the disk."""
        return self._bodies.run(work, *arguments)

    def open(self) -> Readable:
        """Begin to read it.

        Raises:
            StoreError: it cannot be read, or is not all there.
        """
        content = self._bodies.open(self.name)
        if content.length != self.length:
            content.close()
            raise StoreError(f"the content {self.name} has {content.length} of {self.length} bytes")
        return content

    def read(self) -> bytes:
        """All of it at once."""
        content = self.open()
        try:
            return content.read(0, self.length)
        finally:
            content.close()
