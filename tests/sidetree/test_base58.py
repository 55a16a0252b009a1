from __future__ import annotations

import pytest

from penstock.sidetree.base58 import encode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        # draft-msporny-base58-03, test vectors
        (b"Hello World!", "2NEpo7TZRRrLZSi2U"),
        (
            b"The quick brown fox jumps over the lazy dog.",
            "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z",
        ),
        (bytes.fromhex("0000287fb4cd"), "11233QC4"),
        (b"", ""),
        (b"\x00", "1"),
    ],
)
def test_bytes_are_written_as_bitcoin_does(data: bytes, text: str) -> None:
    assert encode(data) == text
