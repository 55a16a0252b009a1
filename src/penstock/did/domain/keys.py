"""The file of a domain's signing key: made at the first start, read at every other, nobody else's to read."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from penstock.did.credentials import SigningKey
from penstock.durable import sync
from penstock.errors import BadKey

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["make_key", "read_key"]

#: A new file that only its owner may read.
NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
SECRET: Final = 0o600


def read_key(file: Path) -> SigningKey:
    """The key in a file.

    Raises:
        BadKey: it cannot be read, or is none.
    """
    try:
        pem = file.read_bytes()
    except OSError as exc:
        raise BadKey(f"the domain's key in {file} cannot be read: {exc.strerror}") from exc
    try:
        return SigningKey.from_pem(pem)
    except BadKey as exc:
        raise BadKey(f"the domain's key in {file} cannot be used: {exc}") from exc


def make_key(file: Path) -> SigningKey:
    """The key in a file; a new one, if there is no such file.

    It is there whole or not at all, and of two that make it at once both get the same.

    Raises:
        BadKey: it can be neither read nor made.
    """
    if not file.exists():
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(file, SigningKey.generate().pem)
        except OSError as exc:
            raise BadKey(f"no key can be made in {file}: {exc.strerror}") from exc
    return read_key(file)


def _write(file: Path, pem: bytes) -> None:
    beside = file.with_name(f".{uuid4().hex}")
    number = os.open(beside, NEW, SECRET)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(pem)
            opened.flush()
            os.fsync(number)
        # Unlike a rename, a link never takes the place of what another has made meanwhile.
        with suppress(FileExistsError):
            os.link(beside, file)
        # What is signed with a key that a power cut takes is nobody's.
        sync(file.parent)
    finally:
        beside.unlink()
