from __future__ import annotations

from typing import Any

import h11
import pytest

from penstock.server.http.replies import HttpFault
from penstock.server.http.request import Request


def request(target: str = "/", body: bytes = b"", **headers: str) -> Request:
    fields = [("Host", "x"), *((name.replace("_", "-"), value) for name, value in headers.items())]
    found = Request.of(h11.Request(method="GET", target=target, headers=fields))
    found.body = body
    return found


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/", ("",)),
        ("/api/readers", ("api", "readers")),
        ("/a%2Fb/%C3%A9", ("a/b", "é")),
        ("/a/", ("a", "")),
        ("//a", ()),
        ("http://broker/a", ("a",)),
        ("*", ()),
    ],
)
def test_a_path_is_its_parts_and_a_part_may_hold_a_slash(target: str, path: tuple[str, ...]) -> None:
    assert request(target).path == path


@pytest.mark.parametrize("target", ["/%ff", "/?" + "&".join(f"a{n}=1" for n in range(20)), "http://[/a"])
def test_a_target_that_cannot_be_read_is_refused(target: str) -> None:
    with pytest.raises(HttpFault, match="target cannot be read") as caught:
        request(target)
    assert caught.value.status == 400


def test_headers_are_found_whatever_their_case() -> None:
    assert request(X_Thing="a").headers["x-thing"] == "a"
    assert (request().says_size, request(Content_Length="12").says_size) == (0, 12)


def test_a_query_has_numbers() -> None:
    assert request("/?start=7&end=10").number("end") == 10


@pytest.mark.parametrize(
    "query", ["", "start=", "start=-1", "start=1.5", "start=a", "start=%D9%A3", "start=" + "9" * 30]
)
def test_what_is_no_number_is_refused(query: str) -> None:
    with pytest.raises(HttpFault, match="the query names start as a whole number"):
        request(f"/?{query}").number("start")


def test_a_body_says_fields() -> None:
    found = request(body=b'{"rows": 3, "seconds": 2, "holder": "me", "more": []}')
    assert found.said(rows=int, seconds=float, holder=str) == [3, 2.0, "me"]


@pytest.mark.parametrize(
    ("body", "kind", "complaint"),
    [
        (b"", int, "the body names it, a whole number"),
        (b"{", int, "the body is no JSON"),
        (b"\xff", int, "the body is no JSON"),
        (b"[]", int, "the body is a JSON object"),
        (b'{"it": true}', int, "a whole number"),
        (b'{"it": 1.5}', int, "a whole number"),
        (b'{"it": "1"}', float, "a number"),
        (b'{"it": 1}', str, "a text"),
        (b'{"it": -1}', int, "it is from 0 to"),
        (b'{"it": NaN}', float, "it is from 0 to"),
        (b'{"it": 99999999999999999999}', int, "it is from 0 to"),
    ],
)
def test_what_a_body_should_say_and_does_not(body: bytes, kind: Any, complaint: str) -> None:
    with pytest.raises(HttpFault, match=complaint) as caught:
        request(body=body).said(it=kind)
    assert caught.value.status == 400
