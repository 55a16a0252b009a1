from __future__ import annotations

import pytest

from penstock.did.anchoring.messages import AnchorInfo
from penstock.errors import InvalidMessage
from tests.did.endless import with_endless


def test_a_message_is_read_as_it_was_written() -> None:
    info = AnchorInfo(
        hash_link="hl:x", local_hash_link="hl:x:u", attributed_to="https://b", alternate_sources=("hl:y",)
    )
    assert AnchorInfo.decode(info.encode()) == info


def test_what_is_not_there_is_not_written() -> None:
    assert AnchorInfo(hash_link="hl:x").encode() == b'{"hashLink":"hl:x"}'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"hashLink":1}',
        b"\xff",
        b'{"hashLink":"\xff"}',
        with_endless("more", b'{"hashLink":"hl:x"}'),
    ],
)
def test_what_tells_of_no_anchor_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidMessage):
        AnchorInfo.decode(body)
