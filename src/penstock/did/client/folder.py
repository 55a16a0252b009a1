"""Wallets on the disk: a folder that nobody else can read, with a file for each DID.

A file is written whole beside the old one, and takes its place when the disk has it: whenever the power goes,
there is one of the two. Commands about the same DID wait for each other: two operations with the same key
would be one too many.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.did.client.wallet import Wallet
from penstock.did.unreadable import UNREADABLE
from penstock.durable import replacing
from penstock.errors import NotInWallet, WalletError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["WalletFolder", "default_folder"]

NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
SUFFIX: Final = ".json"
#: Beside the file, and never taken away: all who wait must wait for the same lock.
LOCK: Final = ".lock"
PRIVATE: Final = 0o600

_decode = msgspec.json.Decoder(Wallet).decode


def default_folder(environ: Mapping[str, str]) -> Path:
    """Where a user's wallet is: PENSTOCK_WALLET, or a folder among the user's data."""
    if named := environ.get("PENSTOCK_WALLET"):
        return Path(named)
    above = environ.get("XDG_DATA_HOME") or Path(environ.get("HOME") or Path.home(), ".local", "share")
    return Path(above, "penstock", "wallet")


class WalletFolder:
    """The wallets of one holder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"<WalletFolder {self.path}, {len(self.names())} DIDs>"

    def names(self) -> list[str]:
        """The names of all DIDs here, in order."""
        found = self.path.glob(f"*{SUFFIX}")
        return sorted(each.stem for each in found if NAME.fullmatch(each.stem))

    def file(self, name: str) -> Path:
        """Where the DID of a name is kept.

        Raises:
            WalletError: nothing can have that name.
        """
        if not NAME.fullmatch(name):
            raise WalletError(f"{name[:60]!r} is no name: letters, digits, '-', '_' and '.', 100 at most")
        return self.path / f"{name}{SUFFIX}"

    def read(self, name: str) -> Wallet:
        """The DID of that name.

        Raises:
            NotInWallet: there is none.
            WalletError: its file cannot be read.
        """
        file = self.file(name)
        try:
            return _decode(file.read_bytes())
        except FileNotFoundError:
            raise NotInWallet(f"the wallet {self.path} holds no {name!r}") from None
        except OSError as exc:
            raise WalletError(f"{file} cannot be read: {exc.strerror}") from exc
        except UNREADABLE as exc:
            raise WalletError(f"{file} is no wallet that this Penstock can read: {exc}") from exc

    def name_of(self, told: str) -> str:
        """The name of the DID that somebody means: by its name, or by the DID in any of its forms.

        Raises:
            NotInWallet: none of these is meant.
        """
        if not told.startswith("did:"):
            self.read(told)
            return told
        parts = set(told.split(":"))
        for name in self.names():
            if self.read(name).suffix in parts:
                return name
        raise NotInWallet(f"the wallet {self.path} does not hold {told[:120]}")

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Whoever else wants to use the DID of that name waits until this is over.

        Raises:
            WalletError: the folder cannot be made or written.
        """
        file = self.file(name)
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(file.with_name(f".{name}{LOCK}"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE)
        except OSError as exc:
            raise WalletError(f"the wallet {self.path} cannot be written: {exc.strerror}") from exc
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def write(self, name: str, wallet: Wallet) -> None:
        """Keep it, and return when the disk has it.

        Raises:
            WalletError: it could not be written; what was there is still there.
        """
        file = self.file(name)
        text = msgspec.json.format(msgspec.json.encode(wallet), indent=2)
        try:
            with replacing(file, mode=PRIVATE) as new:
                new.write(text + b"\n")
        except OSError as exc:
            raise WalletError(f"{file} cannot be written: {exc.strerror}") from exc
