from __future__ import annotations

import asyncio

from penstock.workers.cached import MemoryShelf
from penstock.workers.cached.shelf import Claim, Entry

SOL = Entry("starmap", "0:0:0")


def test_it_tells_how_much_it_holds() -> None:
    shelf = MemoryShelf()
    found = asyncio.run(shelf.run(shelf.claim, SOL, now=0.0, until=10.0))
    assert isinstance(found, Claim)
    shelf.keep(SOL, found.token, b"stars", now=0.0, expires_at=10.0, room=100)
    assert repr(shelf) == "<MemoryShelf of 1, 5 bytes>"
    shelf.forget(SOL)
    assert repr(shelf) == "<MemoryShelf of 0, 0 bytes>"


def test_claims_that_nobody_comes_back_to_do_not_stay() -> None:
    shelf = MemoryShelf()
    for number in range(100):
        shelf.claim(Entry("starmap", str(number)), now=float(number), until=number + 10.0)
    assert repr(shelf) == "<MemoryShelf of 10, 0 bytes>"
