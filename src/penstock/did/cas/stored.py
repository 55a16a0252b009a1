"""Contents at a URL, by fsspec: a folder, memory, or an object store.

    StoredContents("/var/lib/penstock/cas")
    StoredContents("s3://bucket/cas", {"endpoint_url": "http://127.0.0.1:9000"})
    StoredContents("memory://cas")

A content is there whole or not at all, also after `kill -9` or a power cut in the middle of a write: on a
local disk it is written beside, synced and renamed; an object store shows an object only when it is complete;
with any other file system it is written beside and moved. Of two that write the same content at once either
may win.

Names are spread over 4,096 folders by two characters of the hash. An instance may be sent to Spark's
executors: only the URL goes, and each process opens the file system for itself.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from fsspec.core import url_to_fs

from penstock.did.cas.hashes import check_name
from penstock.durable import sync
from penstock.errors import BadHashLink, ContentTooLarge, DidError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["StoredContents"]

#: Protocols whose `put` shows the whole object or none; the rest need a move.
WHOLE: Final = {"memory", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss"}
LOCAL: Final = {"file", "local"}
#: Before them stand multibase's sign, and the multihash's code and length.
VARYING: Final = slice(4, 6)
#: How a file is called while it is written: no name of a content begins so.
UNFINISHED: Final = "."
NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class StoredContents:
    """Contents under a URL."""

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        """Nothing is opened or made before the first use.

        Args:
            url: A folder, or a URL that fsspec understands.
            options: What that file system wants to know beside: an endpoint, a key.
        """
        self.url = url
        self._options = dict(options or {})
        self._opened: tuple[int, Any, str] | None = None

    def put(self, name: str, data: bytes, *, anew: bool = False) -> None:
        with self._translating(f"{name} could not be stored"):
            files, path = self._at(name)
            kinds = _protocols(files)
            if not anew and _size(files, path) == len(data):
                # Whoever put it may have died before its name was durable.
                if kinds & LOCAL:
                    sync(Path(path).parent)
            elif kinds & LOCAL:
                _write_locally(Path(path), data)
            elif kinds & WHOLE:
                files.pipe_file(path, data)
            else:
                _write_and_move(files, path, data)

    def get(self, name: str, limit: int) -> bytes | None:
        with self._translating(f"{name} could not be read"):
            files, path = self._at(name)
            try:
                data = bytes(files.cat_file(path, start=0, end=limit + 1))
            except FileNotFoundError:
                return None
        if len(data) > limit:
            raise ContentTooLarge(f"{name} has more than {limit} bytes")
        return data

    def has(self, name: str) -> bool:
        with self._translating(f"nobody can tell whether {name} is there"):
            files, path = self._at(name)
            return _size(files, path) is not None

    def names(self) -> Iterator[str]:
        """The resource hashes of all contents, in no order; what is put meanwhile may be among them.

        Raises:
            Unavailable: they cannot be listed now.
        """
        with self._translating("what is stored cannot be listed"):
            files, root = self._open()
            # An object store may hold millions: a folder at a time.
            folders = [entry["name"] for entry in _listed(files, root) if entry["type"] == "directory"]
        for folder in folders:
            with self._translating("what is stored cannot be listed"):
                found = [entry["name"].rpartition("/")[2] for entry in _listed(files, folder)]
            yield from (name for name in found if _is_name(name))

    def head(self, name: str, size: int) -> bytes:
        """The first bytes of a content, so many at most; none if it is not here.

        Raises:
            Unavailable: it could not be read.
        """
        with self._translating(f"{name} could not be read"):
            files, path = self._at(name)
            try:
                return bytes(files.cat_file(path, start=0, end=size))
            except FileNotFoundError:
                return b""

    def sweep(self, before: float) -> int:
        """Delete what writers left that died while they wrote; only a local disk has such.

        Args:
            before: Seconds since the epoch; what was written at since may still be written.

        Returns:
            How many were deleted.
        """
        with self._translating("what was left unfinished could not be deleted"):
            files, root = self._open()
            if not _protocols(files) & LOCAL:
                return 0
            return sum(_is_swept(path, before) for path in Path(root).glob(f"*/{UNFINISHED}*"))

    def _at(self, name: str) -> tuple[Any, str]:
        check_name(name)  # or it is no name, and must not become part of a path
        files, root = self._open()
        return files, f"{root}/{name[VARYING]}/{name}"

    def _open(self) -> tuple[Any, str]:
        pid = os.getpid()
        # A connection is not shared with a process that was forked.
        if self._opened is None or self._opened[0] != pid:
            files, root = url_to_fs(self.url, **self._options)
            self._opened = (pid, files, root.rstrip("/"))
        return self._opened[1:]

    @contextmanager
    def _translating(self, what: str) -> Iterator[None]:
        try:
            yield
        except DidError:
            raise
        except Exception as exc:
            # Each file system has errors of its own kind; here they all mean the same.
            raise Unavailable(f"{what} at {self.url}: {type(exc).__name__}: {exc}") from exc

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "_options": self._options, "_opened": None}

    def __repr__(self) -> str:
        return f"<StoredContents {self.url}>"


def _protocols(files: Any) -> set[str]:
    return {files.protocol} if isinstance(files.protocol, str) else set(files.protocol)


# File systems remember what they have listed; what others have put since is asked for anew.


def _size(files: Any, path: str) -> int | None:
    files.invalidate_cache(path)
    try:
        return int(files.info(path)["size"])
    except FileNotFoundError:
        return None


def _listed(files: Any, folder: str) -> list[dict[str, Any]]:
    files.invalidate_cache(folder)
    try:
        found: list[dict[str, Any]] = files.ls(folder, detail=True)
    except FileNotFoundError:
        return []
    return found


def _is_name(name: str) -> bool:
    try:
        check_name(name)
    except BadHashLink:
        return False
    return True


def _write_locally(path: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync(path.parent.parent)
    beside = path.with_name(f"{UNFINISHED}{uuid4().hex}")
    try:
        file = os.open(beside, NEW, 0o600)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        finally:
            os.close(file)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    sync(path.parent)


def _is_swept(path: Path, before: float) -> bool:
    try:
        if path.stat().st_mtime < before:
            path.unlink()
            return True
    except FileNotFoundError:
        # Whoever wrote it is done with it.
        pass
    return False


def _write_and_move(files: Any, path: str, data: bytes) -> None:
    files.makedirs(files._parent(path), exist_ok=True)  # noqa: SLF001  fsspec has no public name for it
    beside = f"{path}.{uuid4().hex}"
    files.pipe_file(beside, data)
    files.mv(beside, path)
