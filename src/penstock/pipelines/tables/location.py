"""Where a table lies: a folder of this machine, or any URL that deltalake can open.

Secrets do not belong here: what is said of a location travels in Spark's plans, which are shown, logged and
sent to every executor. Object stores read theirs from the environment (AWS_SECRET_ACCESS_KEY and the like)
by themselves.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote, urlsplit

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler

from penstock.durable import sync
from penstock.errors import BadSetting, TableError, UnknownTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Location"]

#: Bytes of a file's or a folder's name on a disk (NAME_MAX).
LONGEST: Final = 255
_SECRET: Final = re.compile(
    r"secret|password|token|account_key|access_key(?!_id)|(^|_)sas|credential", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Location:
    """A table's place.

    Raises:
        BadSetting: there is no place, or what is said of it is a secret.
    """

    uri: str
    #: For the object store: region, endpoint and the like.
    storage: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.uri:
            raise BadSetting("where is the table? Say its path, or its URL", setting="path")
        for name in self.storage:
            if _SECRET.search(name):
                raise BadSetting(
                    f"{name} is a secret, and options are shown in Spark's plans: put it into the"
                    " environment of driver and executors, where the object store looks for it by itself",
                    setting=name,
                )

    @classmethod
    def at(cls, path: str | Path, storage: Mapping[str, str] | None = None) -> Location:
        """The place that is meant here: executors work in another folder."""
        is_relative = path and "://" not in str(path)
        return cls(str(Path(path).absolute()) if is_relative else str(path), storage or {})

    def __str__(self) -> str:
        return self.uri

    @property
    def folder(self) -> Path | None:
        """The folder, if it is one of this machine's."""
        parts = urlsplit(self.uri)
        if parts.scheme == "file":
            return Path(unquote(parts.path))
        return None if "://" in self.uri else Path(self.uri)

    def maybe_table(self) -> DeltaTable | None:
        """The table as it is now, if there is one.

        Raises:
            TableError: it cannot be read.
        """
        if self.folder is not None and not (self.folder / "_delta_log").is_dir():
            return None
        try:
            return DeltaTable(self.uri, storage_options=dict(self.storage) or None)
        except TableNotFoundError:
            return None
        except Exception as exc:
            raise TableError(f"the table {self} cannot be read: {exc}") from exc

    def table(self, version: int | None = None) -> DeltaTable:
        """The table as it is now, or was at a version.

        Raises:
            UnknownTable: there is none.
            TableError: it cannot be read, or has no such version any more.
        """
        found = self.maybe_table()
        if found is None:
            raise UnknownTable(f"there is no Delta table at {self}")
        if version is not None:
            try:
                found.load_as_version(version)
            except DeltaError as exc:
                raise TableError(f"the table {self} cannot be read at version {version}: {exc}") from exc
        return found

    # Files beside the log

    def check_name(self, name: str) -> None:
        """Find out whether a file, or a folder, can be called so.

        Raises:
            TableError: no disk has such long names; an object store has.
        """
        parts = name.split("/") if self.folder is not None else ()
        for part in parts:
            if len(os.fsencode(part)) > LONGEST:
                raise TableError(
                    f"no folder can be named after column {part.partition('=')[0]} where it has"
                    f" {len(os.fsencode(part))} bytes; the most is {LONGEST}: {part[:LONGEST]}…"
                )

    @contextmanager
    def writing(self, name: str) -> Iterator[Any]:
        """A new file of the table, by its name under the table's folder; on disk when the block has ended."""
        if self.folder is not None:
            self.check_name(name)
            with _durably(self.folder / name) as file:
                yield file
            return
        handler: Any = DeltaStorageHandler(self.uri, dict(self.storage))
        remote = _Remote(handler._handler.open_output_stream(name, None))  # noqa: SLF001  its public wrapper hands over buffers that it refuses
        yield remote
        remote.close()

    @contextmanager
    def reading(self, name: str) -> Iterator[Any]:
        """A file of the table, to be read from any place."""
        if self.folder is not None:
            with (self.folder / name).open("rb") as file:
                yield file
            return
        handler = DeltaStorageHandler(self.uri, dict(self.storage))
        yield handler.open_input_file(name)

    def forget(self, names: list[str]) -> None:
        """Remove files that nobody was told of. Whatever cannot be removed is left to `tidy`."""
        if self.folder is None:
            return
        for name in names:
            (self.folder / name).unlink(missing_ok=True)


@contextmanager
def _durably(path: Path) -> Iterator[IO[bytes]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        yield file
        file.flush()
        # Spark syncs nothing, and the queue forgets its messages when the table has them.
        os.fsync(file.fileno())
    sync(path.parent)


class _Remote:
    """A file of an object store, as pyarrow writes one."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.closed = False

    def write(self, data: Any) -> int:
        return cast("int", self._file.write(bytes(data)))

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._file.close()
