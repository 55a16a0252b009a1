"""The data folder of `penstock up`: whatever its programs keep.

<data>/lock             held by the process that runs them
       up.json          where they are, while they run
       broker/          the broker's
       did/             the DID domain's, as `penstock did up` has it
       logs/            what each program has to say
       pipelines/       how far Spark came
       sample/          the waterworks'
       gateway.secret   what session tokens are signed with
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from penstock.cli.sample.events import DATABASE
from penstock.store.folder import held, secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["UpFolder"]


class UpFolder:
    """Where things are in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.broker = self.path / "broker"
        self.did = self.path / "did"
        self.pipelines = self.path / "pipelines"
        self.sample = self.path / "sample"
        #: What the waterworks keeps.
        self.database = f"sqlite:///{self.sample / DATABASE}"
        #: What the DID domain keeps, the first and only one.
        self.records = f"sqlite:///{self.did / 'orb' / 'records.db'}"
        self._told = self.path / "up.json"

    def __repr__(self) -> str:
        return f"<UpFolder {self.path}>"

    def log(self, name: str) -> Path:
        """The file that a program writes what it has to say to."""
        return self.path / "logs" / f"{name}.log"

    def gateway_secret(self) -> Path:
        """The file with it, made at the first start."""
        file = self.path / "gateway.secret"
        secret(file)
        return file

    def tell(self, places: Mapping[str, str]) -> None:
        """Write down where everything is, for whoever starts it a second time."""
        self._told.write_text(json.dumps(places, indent=2))

    def told(self) -> dict[str, str]:
        """Where everything is, as the process that runs it has told."""
        with suppress(OSError, ValueError):
            found: dict[str, str] = json.loads(self._told.read_text())
            return found
        return {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else runs it meanwhile; it ends with the process, however that ends.

        Raises:
            BadSetting: somebody does, or the folder cannot be used.
        """
        with held(self.path, self._busy):
            yield
            self._told.unlink(missing_ok=True)

    def _busy(self) -> str:
        where = " ".join(self.told().values())
        return (
            f"penstock is up already with the data in {self.path}{': ' if where else ''}{where}; "
            "stop it, or take another folder with --data"
        )
