"""A batch to spoil: its files as values, stored wherever their bytes say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files import build, part_of_request, read_batch
from penstock.sidetree.files.compression import compressed, inflated
from penstock.sidetree.protocol import ORB, Protocol
from tests.sidetree.lives import Life, address

if TYPE_CHECKING:
    from penstock.sidetree.files import Observed

MOST = 10_000_000


def mixed() -> list[bytes]:
    """Two creates, and an update, a recover and a deactivate of other DIDs."""
    others = [Life(name) for name in ("updated", "recovered", "ended")]
    for life in others:
        life.create()
    return [
        Life("first").create(),
        others[0].update(),
        others[2].deactivate(),
        others[1].recover(),
        Life("second").create(),
    ]


class Stored:
    """The files of a batch by name, to be changed; read as whoever observes the anchor does."""

    def __init__(self, requests: list[bytes]) -> None:
        built = build([part_of_request(request) for request in requests], address, ORB)
        self.count: Any = built.count
        self.raw = {file.name: file.data for file in built.files}
        self.files: dict[str, Any] = {
            name: parse(inflated(data, name, MOST, 3)) for name, data in self.raw.items()
        }
        self._before = {name: canonical(value) for name, value in self.files.items()}
        self._uris = {file.name: file.uri for file in built.files}

    def read(self, protocol: Protocol = ORB) -> tuple[Observed, ...]:
        """The operations, with every address as it was: what is stored there may have changed."""
        store = {
            self._uris[name]: self.raw[name]
            if canonical(value) == self._before[name]
            else compressed(canonical(value))
            for name, value in self.files.items()
        }
        anchor = f"{self.count}.{self._uris['core index file']}"
        return read_batch(anchor, lambda uri, most: store.get(uri, b"nothing"), protocol)
