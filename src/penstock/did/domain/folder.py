"""The data folder of domains on one machine: whatever they keep and nobody has said where.

<data>/lock             held by the process that runs them
       broker/          the broker's
       logs/            what each process has to say
       pipelines/       how far the pipelines came
       <domain>/        places.json    where the domain is; it holds secrets
                        key.pem        what it signs with
                        records.db     its database
                        contents/      its storage
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.did.domain.places import Places
from penstock.store.folder import held, secret, write_private

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["DataFolder"]

OWN: Final = 0o700


class DataFolder:
    """Where things are in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.broker = self.path / "broker"
        self.pipelines = self.path / "pipelines"

    def __repr__(self) -> str:
        return f"<DataFolder {self.path}>"

    def key(self, word: str) -> Path:
        """The file of a domain's key."""
        return self.path / word / "key.pem"

    def database(self, word: str) -> str:
        """The URL of a domain's records."""
        return f"sqlite:///{self.path / word / 'records.db'}"

    def storage(self, word: str) -> str:
        """The folder of a domain's contents."""
        return str(self.path / word / "contents")

    def log(self, name: str) -> Path:
        """The file that a process writes what it has to say to."""
        return self.path / "logs" / f"{name}.log"

    def broker_secret(self) -> str:
        """The password of the broker, made at the first start: none but these domains are to use it.

        Raises:
            BadSetting: it can be neither read nor made.
        """
        return secret(self.path / "broker.secret")

    # Places

    def words(self) -> list[str]:
        """The domains that were started here before."""
        return sorted(file.parent.name for file in self.path.glob("*/places.json"))

    def read(self, word: str) -> Places | None:
        """The places of a domain as they were at its last start; None if there was none.

        Raises:
            BadSetting: they cannot be read.
        """
        file = self.path / word / "places.json"
        with suppress(FileNotFoundError):
            return Places.from_json(file.read_bytes())
        return None

    def write(self, places: Places) -> None:
        """Keep a domain's places: who reads them finds the old or the new, never a half."""
        file = self.path / places.word / "places.json"
        file.parent.mkdir(mode=OWN, parents=True, exist_ok=True)
        write_private(file, places.to_json())

    def held(self) -> AbstractContextManager[None]:
        """Nobody else runs these domains meanwhile; it ends with the process, however that ends.

        Raises:
            BadSetting: somebody does, or the folder cannot be used.
        """
        return held(
            self.path,
            lambda: f"the domains in {self.path} are run by another process: stop it, or take another folder",
        )
