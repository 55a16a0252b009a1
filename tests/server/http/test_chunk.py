from __future__ import annotations

from penstock.server.http.chunk import Chunk


def test_it_is_as_long_as_its_pieces() -> None:
    assert len(Chunk([b"abc", memoryview(b"de"), b""])) == 5
    assert not Chunk([])
