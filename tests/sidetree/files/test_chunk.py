"""What is wrong with chunk files stands in test_reading."""

from __future__ import annotations

import json

from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.chunk import read_chunk, write_chunk
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import add_keys, add_services

DELTAS = [
    {"patches": [add_keys("a")], "updateCommitment": hashed(1)},
    {"patches": [add_services("b")], "updateCommitment": hashed(2)},
]


def test_it_is_read_as_it_was_written() -> None:
    written = write_chunk([canonical(delta) for delta in DELTAS])
    assert written == canonical({"deltas": DELTAS})
    assert read_chunk(compressed(written), 2, ORB) == [(delta, canonical(delta)) for delta in DELTAS]


def test_without_deltas_there_is_no_file() -> None:
    assert write_chunk([]) == b""


def test_however_it_is_spelled_the_deltas_are_canonical() -> None:
    spelled = json.dumps({"deltas": DELTAS}, indent=1).encode()
    assert read_chunk(compressed(spelled), 2, ORB) == [(delta, canonical(delta)) for delta in DELTAS]
