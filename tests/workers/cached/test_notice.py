from __future__ import annotations

import msgspec
import pytest

from penstock.errors import InvalidMessage
from penstock.workers.cached.notice import Notice, channel_for, read_notice


@pytest.mark.parametrize(
    "notice",
    [
        Notice(key="0:0:0", of=("a", "b"), value=msgspec.Raw(b'["Sol"]')),
        Notice(key="0:0:0", of=("a",), error="no such sector", status=404),
        Notice(key="0:0:0", by="p1"),
    ],
    ids=["made", "refused", "forgotten"],
)
def test_what_is_told_can_be_read(notice: Notice) -> None:
    assert read_notice(msgspec.json.encode(notice)) == notice


@pytest.mark.parametrize("body", [b"", b"[]", b'{"of": []}', b'{"key": "\xff"}', b'{"x":' + b"[" * 100_000])
def test_anything_else_is_no_news(body: bytes) -> None:
    with pytest.raises(InvalidMessage, match="this is no news of a cache"):
        read_notice(body)


def test_each_cache_has_a_channel() -> None:
    assert channel_for("starmap") == "ps_cached_starmap"
