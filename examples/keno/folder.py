"""The data folder of a game: the database, the broker's data, secrets and logs, found again at every start.

<data>/lock       held by the process that runs the game
       game.db    the database, unless another is named
       broker/    the broker's
       logs/      what each process has to say
       *.secret   what the game's own processes know, and nobody else
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.store.folder import held, secret

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["Folder"]


class Folder:
    """Where things are in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.broker = self.path / "broker"
        self.database = f"sqlite:///{self.path / 'game.db'}"

    def __repr__(self) -> str:
        return f"<Folder {self.path}>"

    def log(self, name: str) -> Path:
        """The file that a process writes what it has to say to."""
        return self.path / "logs" / f"{name}.log"

    def secret(self, name: str) -> str:
        """A secret, made at the first start."""
        return secret(self.path / f"{name}.secret")

    def held(self) -> AbstractContextManager[None]:
        """Nobody else runs this game meanwhile; it ends with the process, however that ends.

        Raises:
            BadSetting: somebody does, or the folder cannot be used.
        """
        return held(
            self.path,
            lambda: f"the game in {self.path} is run by another process: stop it, or take another folder",
        )
