from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadBatchFile
from penstock.sidetree.files.compression import compressed, inflated


@given(st.binary(max_size=300))
def test_everybody_can_read_what_is_written(data: bytes) -> None:
    assert gzip.decompress(compressed(data)) == data
    assert inflated(compressed(data), "file", 400, 3) == data


@given(st.binary(max_size=300))
def test_what_everybody_writes_can_be_read(data: bytes) -> None:
    assert inflated(gzip.compress(data), "file", 400, 3) == data


def test_the_same_content_has_the_same_bytes() -> None:
    assert compressed(b"x" * 100) == compressed(b"x" * 100)
    assert compressed(b"x").startswith(bytes.fromhex("1f8b08000000000000ff"))


GOOD = compressed(b'{"deltas":[]}')


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its end is missing"),
        (b"plain", "no gzip"),
        (zlib.compress(b"other"), "no gzip"),
        (GOOD[:-1], "its end is missing"),
        (GOOD[:12], "its end is missing"),
        (GOOD + b"x", "behind the end"),
        (GOOD + GOOD, "behind the end"),
        (GOOD[:-8] + bytes(8), "no gzip"),
        (bytes(1001), "1001 compressed bytes are over the limit of 1000"),
        (compressed(bytes(3001)), "inflates to more than 3 times"),
    ],
)
def test_what_is_no_gzip_or_too_large_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(BadBatchFile, match=f"^chunk file: .*{reason}") as caught:
        inflated(data, "chunk file", 1000, 3)
    assert caught.value.file == "chunk file"


def test_the_limit_itself_may_be_reached() -> None:
    assert len(inflated(compressed(bytes(3000)), "file", 1000, 3)) == 3000


def test_a_bomb_costs_no_more_than_the_limit() -> None:
    bomb = compressed(bytes(100_000_000))
    assert len(bomb) < 100_000
    tracemalloc.start()
    with pytest.raises(BadBatchFile, match="inflates to more"):
        inflated(bomb, "file", 100_000, 3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
