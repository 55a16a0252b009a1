from __future__ import annotations

import pytest

from penstock.pipelines.spool.block import HEADER_SIZE, Block, encode, maybe_block


def encoded(
    payload: list[bytes | memoryview], at: int, first: int, size: int, rows: int
) -> tuple[Block, bytes]:
    block, pieces = encode(payload, at, first, size, rows)
    return block, b"".join(pieces)


def test_a_block_comes_back_as_it_went() -> None:
    block, data = encoded([b"some ", b"payload"], 0, 7, 100, 3)

    assert maybe_block(memoryview(data), 0, checked=True) == block
    assert (block.first, block.last, block.rows, block.size) == (7, 9, 3, 100)
    assert data[HEADER_SIZE:].startswith(b"some payload")
    assert len(data) == block.end


def test_blocks_follow_each_other_on_boundaries_that_arrow_likes() -> None:
    one, first = encoded([b"x" * 65], 0, 1, 65, 1)
    two, second = encoded([b"y"], one.end, 2, 1, 1)

    assert one.end % 64 == 0
    assert maybe_block(memoryview(first + second), one.end, checked=True) == two
    assert maybe_block(memoryview(first + second), two.end, checked=True) is None


@pytest.mark.parametrize("kept", [0, 1, 39, 63, 64, 100, 191])
def test_a_block_that_was_cut_short_is_none(kept: int) -> None:
    _, data = encoded([b"x" * 128], 0, 1, 128, 1)

    assert len(data) == 192
    assert maybe_block(memoryview(data[:kept]), 0, checked=True) is None


@pytest.mark.parametrize("at", [0, 8, 16, 24, 32, 36, 64, 100, 191])
def test_a_changed_byte_is_noticed(at: int) -> None:
    _, data = encoded([b"x" * 128], 0, 1, 128, 1)
    changed = bytearray(data)
    changed[at] ^= 0x01

    assert maybe_block(memoryview(bytes(changed)), 0, checked=True) is None


def test_zeros_that_a_crash_left_are_no_block() -> None:
    assert maybe_block(memoryview(bytes(512)), 0, checked=True) is None
