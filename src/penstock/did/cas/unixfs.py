"""How IPFS cuts a file into a tree of blocks, as far as its CID depends on it.

Chunks of 256 KiB are the leaves; a node has at most 174 children; the tree is filled from the left (kubo's
defaults: `size-262144`, balanced layout). A leaf is the chunk itself in version 1, and a dag-pb node with the
chunk inside in version 0. Only hashes are kept, so a large content is not held twice. Pure.

dag-pb:  PBNode {2: repeated PBLink {1: hash, 2: name, 3: size of the whole branch}, 1: data}, links first
UnixFS:  Data {1: type, 2: data, 3: size of the file below, 4: repeated sizes of the children}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["CHUNK", "DAG_PB", "RAW", "Block", "tree"]

#: Bytes of a leaf.
CHUNK: Final = 256 * 1024
#: Children of a node: what fits into 8 KiB, as kubo reckons.
WIDEST: Final = 174
#: UnixFS's type of a regular file.
FILE: Final = 2

# Multicodec.
RAW: Final = 0x55
DAG_PB: Final = 0x70

# Protocol Buffers: the field's number, and whether a number or bytes follow.
NUMBER, BYTES = 0, 2


@dataclass(frozen=True, slots=True)
class Block:
    """A block as its parent sees it."""

    codec: int
    multihash: bytes
    #: Bytes of the block and all blocks below it.
    weight: int
    #: Bytes of the file that it stands for.
    size: int


def tree(data: bytes, *, version: int) -> Block:
    """The root of the file's tree."""
    leaf = _wrapped_leaf if version == 0 else _raw_leaf
    view = memoryview(data)
    # Even an empty file has a leaf.
    starts = range(0, max(len(data), 1), CHUNK)
    level = [leaf(bytes(view[start : start + CHUNK])) for start in starts]
    parent = _parent_of(version)
    while len(level) > 1:
        level = [parent(level[start : start + WIDEST]) for start in range(0, len(level), WIDEST)]
    return level[0]


def _raw_leaf(chunk: bytes) -> Block:
    return Block(RAW, multihash(chunk), len(chunk), len(chunk))


def _wrapped_leaf(chunk: bytes) -> Block:
    content = _field(2, chunk) if chunk else b""
    node = _field(1, _number(1, FILE) + content + _number(3, len(chunk)))
    return Block(DAG_PB, multihash(node), len(node), len(chunk))


def _parent_of(version: int) -> Callable[[Sequence[Block]], Block]:
    def parent(children: Sequence[Block]) -> Block:
        size = sum(child.size for child in children)
        sizes = b"".join(_number(4, child.size) for child in children)
        links = b"".join(_field(2, _link(child, version)) for child in children)
        node = links + _field(1, _number(1, FILE) + _number(3, size) + sizes)
        weight = len(node) + sum(child.weight for child in children)
        return Block(DAG_PB, multihash(node), weight, size)

    return parent


def _link(child: Block, version: int) -> bytes:
    target = child.multihash if version == 0 else bytes([1, child.codec]) + child.multihash
    return _field(1, target) + _field(2, b"") + _number(3, child.weight)


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | BYTES) + _varint(len(value)) + value


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | NUMBER) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:  # noqa: PLR2004  seven bits a byte, the eighth says that more follow
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
