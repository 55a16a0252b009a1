"""What is wrong with chunk files stands in test_reading."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.chunk import read_chunk, write_chunk
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import add_keys, add_services

PATCHES = [{"op": "add", "path": "/note", "value": 1}]
DELTAS = [
    {"patches": [add_keys("a")], "updateCommitment": hashed(1)},
    {"patches": [add_services("b")], "updateCommitment": hashed(2)},
]


def test_it_is_read_as_it_was_written() -> None:
    written = write_chunk([canonical(delta) for delta in DELTAS])
    assert written == canonical({"deltas": DELTAS})
    assert read_chunk(compressed(written), 2, ORB) == [canonical(delta) for delta in DELTAS]


def test_without_deltas_there_is_no_file() -> None:
    assert write_chunk([]) == b""


def test_however_it_is_spelled_the_deltas_are_canonical() -> None:
    spelled = json.dumps({"deltas": DELTAS}, indent=1).encode()
    assert read_chunk(compressed(spelled), 2, ORB) == [canonical(delta) for delta in DELTAS]


def test_one_delta_that_is_unusual_is_taken_among_those_that_are_usual() -> None:
    unusual = DELTAS[0] | {"patches": [{"action": "ietf-json-patch", "patches": PATCHES}]}
    spaced = json.dumps(unusual).encode()
    content = b'{"deltas":[%b,%b]}' % (canonical(DELTAS[1]), spaced)
    assert read_chunk(compressed(content), 2, ORB) == [canonical(DELTAS[1]), canonical(unusual)]


def test_a_usual_delta_has_its_limit_too() -> None:
    long = DELTAS[1] | {"patches": [add_services(*(f"service{number}" for number in range(20)))]}
    content = compressed(canonical({"deltas": [long]}))
    assert read_chunk(content, 1, replace(ORB, max_delta_size=10_000)) == [canonical(long)]
    with pytest.raises(BadBatchFile, match=r"delta 0: a delta of .* over the limit"):
        read_chunk(content, 1, ORB)


def test_what_is_usual_is_asked_all_the_same_where_the_protocol_takes_less() -> None:
    content = compressed(canonical({"deltas": DELTAS}))
    with pytest.raises(BadBatchFile, match=r"delta 1: .*'add-services' is not enabled"):
        read_chunk(content, 2, replace(ORB, patches=ORB.patches - {"add-services"}))
