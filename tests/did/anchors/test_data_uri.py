from __future__ import annotations

import gzip
import tracemalloc
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.anchors.data_uri import GZIP, JSON, KINDS, content_of, data_uri
from penstock.errors import BadDataUri


@given(st.binary(max_size=300), st.sampled_from(KINDS))
def test_what_is_written_is_read_back(content: bytes, kind: str) -> None:
    uri = data_uri(content, kind)
    assert uri.isascii()
    assert content_of(uri, limit=len(content)) == content


def test_json_is_escaped_as_in_a_query() -> None:
    uri = data_uri('{"a": "ü+~"}'.encode(), JSON)
    assert uri == "data:application/json,%7B%22a%22%3A+%22%C3%BC%2B~%22%7D"


def test_gzip_is_written_without_a_time_or_a_system() -> None:
    uri = data_uri(b"content")
    assert uri == data_uri(b"content")
    assert uri.startswith("data:application/gzip;base64,H4sIAAAAAAAA/")
    # Whatever another has compressed is read.
    theirs = b64encode(gzip.compress(b"content", compresslevel=1)).decode()
    assert content_of(f"data:{GZIP},{theirs}", limit=7) == b"content"


@pytest.mark.parametrize("kind", KINDS)
def test_no_more_than_the_limit_is_taken(kind: str) -> None:
    uri = data_uri(b"12345678", kind)
    assert content_of(uri, limit=8) == b"12345678"
    with pytest.raises(BadDataUri, match="more than the 7 bytes"):
        content_of(uri, limit=7)


def test_a_decompression_bomb_is_not_inflated() -> None:
    bomb = data_uri(bytes(5_000_000))
    assert len(bomb) < 10_000
    tracemalloc.start()
    try:
        with pytest.raises(BadDataUri, match="more than"):
            content_of(bomb, limit=1000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1_000_000


STREAM = gzip.compress(b"content", mtime=0)


def of(packed: bytes) -> str:
    return f"data:{GZIP},{b64encode(packed).decode()}"


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("", "no data URI"),
        ("https://a.example", "no data URI"),
        ("data:", "no data URI"),
        (f"data:{GZIP}", "no data URI"),
        ("data:,x", "not of ''"),
        ("data:text/plain,x", "not of 'text/plain'"),
        (f"data:{GZIP},!", "not gzip in base64"),
        (f"data:{GZIP},ü", "not gzip in base64"),
        (f"data:{GZIP},{b64encode(STREAM).decode()}\n", "not gzip in base64"),
        (of(b""), "not exactly one"),
        (of(b"no gzip at all"), "not gzip in base64"),
        (of(STREAM[:-4]), "not exactly one"),
        (of(STREAM + b"more"), "not exactly one"),
        (of(STREAM + STREAM), "not exactly one"),
        (of(STREAM[:-8] + bytes(8)), "not gzip in base64"),  # its checksum is wrong
        ("data:application/json,ü", "must be escaped"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(uri: str, reason: str) -> None:
    with pytest.raises(BadDataUri, match=reason):
        content_of(uri, limit=1000)


@given(st.sampled_from(["", "data:", f"data:{GZIP},", f"data:{JSON},"]), st.text(max_size=60))
def test_any_text_is_a_data_uri_or_refused(beginning: str, rest: str) -> None:
    try:
        assert len(content_of(beginning + rest, limit=30)) <= 30
    except BadDataUri:
        return


@given(st.binary(max_size=60))
def test_any_bytes_after_a_header_of_gzip_are_content_or_refused(data: bytes) -> None:
    try:
        assert len(content_of(of(STREAM[:10] + data), limit=30)) <= 30
    except BadDataUri:
        return
