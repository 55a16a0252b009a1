"""What all contents have in common is in tests/contracts/test_store.py."""

from __future__ import annotations

import pytest

from penstock.errors import StoreDamaged
from penstock.store.content_memory import ContentMemory


def test_contents_are_kept_by_name_until_deleted() -> None:
    contents = ContentMemory()
    growing = contents.create()
    growing.append(b"one ")
    growing.append(memoryview(b"two"))
    name = growing.finish()
    other = contents.link(name)
    assert repr(contents) == "<ContentMemory 2 contents>"
    contents.delete([name, "not there"])
    reading = contents.open(other)
    assert (reading.length, reading.read(2, 3), reading.read(9, 1)) == (7, b"e t", b"")
    reading.close()
    with pytest.raises(StoreDamaged, match=name):
        contents.open(name)


def test_one_that_is_abandoned_was_never_there() -> None:
    contents = ContentMemory()
    growing = contents.create()
    growing.append(b"half")
    growing.abandon()
    assert repr(contents) == "<ContentMemory 0 contents>"
