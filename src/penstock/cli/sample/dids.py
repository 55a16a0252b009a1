"""DIDs of the waterworks' valves: created one after the other, then changed in turn; a few, never more."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from penstock.cli.did_flags import DEFAULT_KEY, read_changes
from penstock.clock import SystemClock
from penstock.did.client import Beginning, Changes, Holder, WalletFolder
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Registry"]

log = logging.getLogger(__name__)

#: How many DIDs there are at most.
MOST: Final = 7


class Registry:
    """A wallet, and a domain that its DIDs are posted to."""

    def __init__(self, folder: Path, url: str) -> None:
        self._wallets = WalletFolder(folder)
        self._holder = Holder(self._wallets, clock=SystemClock())
        self._url = url
        self._turn = 0

    def next(self) -> None:
        """The next operation; one that is not taken now is left for another time."""
        self._turn += 1
        name = f"valve-{self._turn % MOST + 1}"
        try:
            if self._wallets.file(name).exists():
                self._update(name)
            else:
                self._create(name)
        except PenstockError as exc:
            log.info("%s stays as it is: %s", name, exc)

    def _create(self, name: str) -> None:
        changes = read_changes("ES256", default_key=DEFAULT_KEY)
        self._holder.create(name, changes, Beginning(url=self._url, algorithm="ES256"))

    def _update(self, name: str) -> None:
        service = {
            "id": "state",
            "type": "WaterworksValve",
            "serviceEndpoint": f"https://waterworks.example/{name}/{self._turn}",
        }
        self._holder.update(name, Changes(remove_services=["state"], services=[service]))
