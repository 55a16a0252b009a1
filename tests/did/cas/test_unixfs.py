from __future__ import annotations

from hashlib import sha256

import pytest

from penstock.did.cas.unixfs import CHUNK, DAG_PB, RAW, tree


def digest(data: bytes) -> bytes:
    return b"\x12\x20" + sha256(data).digest()


def test_up_to_a_chunk_a_file_of_version_1_is_its_own_block() -> None:
    for size in (0, 1, CHUNK):
        root = tree(bytes(size), version=1)
        assert (root.codec, root.multihash, root.size) == (RAW, digest(bytes(size)), size)


def test_a_file_of_version_0_is_wrapped_however_small() -> None:
    # PBNode {1: Data {1: 2 (file), 2: "a", 3: 1}}
    node = bytes.fromhex("0a07 0802 120161 1801")
    root = tree(b"a", version=0)
    assert (root.codec, root.multihash, root.weight, root.size) == (DAG_PB, digest(node), len(node), 1)


def test_a_byte_more_makes_a_node_with_two_leaves() -> None:
    root = tree(bytes(CHUNK + 1), version=1)

    first, second = (b"\x01\x55" + digest(bytes(size)) for size in (CHUNK, 1))
    links = (
        b"\x12\x2c\x0a\x24" + first + b"\x12\x00\x18\x80\x80\x10",
        b"\x12\x2a\x0a\x24" + second + b"\x12\x00\x18\x01",
    )
    data = bytes.fromhex("0a0c 0802 18818010 20808010 2001")
    node = b"".join(links) + data

    assert (root.codec, root.multihash) == (DAG_PB, digest(node))
    assert (root.size, root.weight) == (CHUNK + 1, CHUNK + 1 + len(node))


@pytest.mark.parametrize("version", [0, 1])
def test_a_node_has_174_children_at_most(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # With chunks of a byte, 175 leaves need two nodes, and those a root: three levels.
    monkeypatch.setattr("penstock.did.cas.unixfs.CHUNK", 1)
    full, more = tree(bytes(174), version=version), tree(bytes(175), version=version)
    two_levels = more.weight - full.weight
    assert (full.size, more.size) == (174, 175)
    # The root links to the full node and to one with a single leaf; none of them weighs nothing.
    assert two_levels > 2 * 36
    assert tree(bytes(174 * 3), version=version).size == 174 * 3
