from __future__ import annotations

import json

import pytest

from penstock.errors import InvalidMessage, RequestRefused
from penstock.workers.gateway.envelope import Fanned, Push, Reply, Request, encode, read_fanned, read_request


def test_a_request_is_read_as_the_seeds_game_sends_it() -> None:
    text = '{"room":"planet:5","route":"/a","msgId":7,"clientCode":"c-1","content":{"x":1}}'
    request = read_request(text, 1000)
    assert (request.room, request.route, request.msg_id, request.client_code) == ("planet:5", "/a", 7, "c-1")
    assert bytes(request.content) == b'{"x":1}'


def test_only_the_route_must_be_there() -> None:
    request = read_request('{"route":"/a","more":1}', 1000)
    assert (request.room, request.msg_id, request.client_code) == ("", None, "")
    assert bytes(request.content) == b"{}"


@pytest.mark.parametrize(
    ("text", "status", "told"),
    [
        ("{", 400, "this is no request"),
        ("[]", 400, "this is no request"),
        ("{}", 400, "route"),
        ('{"route":""}', 400, "length"),
        ('{"route":7}', 400, "Expected `str`"),
        ('{"route":"/a","msgId":"a b"}', 400, "regex"),
        ('{"route":"/a","msgId":{}}', 400, "msgId"),
        ('{"route":"/a","clientCode":"' + "x" * 41 + '"}', 400, "length"),
        ('{"route":"/a","room":"' + "x" * 129 + '"}', 400, "length"),
        ("[" * 999, 400, "this is no request"),
        ('{"route":"/a","content":"' + "x" * 1000 + '"}', 413, "at most 1000 characters"),
    ],
    ids=range(11),
)
def test_what_is_no_request_is_refused_with_the_reason(text: str, status: int, told: str) -> None:
    with pytest.raises(RequestRefused, match=told) as refused:
        read_request(text, 1000)
    assert refused.value.status == status


def test_a_lone_half_of_a_character_is_refused_like_any_rubbish() -> None:
    with pytest.raises(RequestRefused, match="this is no request"):
        read_request('{"route":"\ud800"}', 1000)


def test_a_binary_frame_is_refused() -> None:
    with pytest.raises(RequestRefused, match="this one is binary"):
        read_request(b'{"route":"/a"}', 1000)


def test_a_reply_names_the_request() -> None:
    request = Request(route="/a", room="r", msg_id="m")
    assert json.loads(encode(Reply.to(request, 404, message="no"))) == {
        "room": "r",
        "route": "/a",
        "msgId": "m",
        "status": 404,
        "message": "no",
        "content": None,
    }


def test_what_is_fanned_is_pushed_with_its_id_and_without_whom_it_is_for() -> None:
    fanned = read_fanned(b'{"route":"/b","user_id":3,"content":{"y":[1]},"clientCode":"c","extra":1}')
    assert (fanned.user_id, fanned.client_code) == (3, "c")
    assert json.loads(encode(Push.of(fanned, "i"))) == {"id": "i", "route": "/b", "content": {"y": [1]}}
    assert read_fanned(encode(fanned)) == fanned
    assert encode(Fanned(room="r")) == b'{"room":"r"}'


@pytest.mark.parametrize("body", [b"{", b"1", b'{"user_id":[]}', b"\xff", b"[" * 9999], ids=range(5))
def test_what_is_no_message_for_clients_is_told(body: bytes) -> None:
    with pytest.raises(InvalidMessage, match="no message for clients"):
        read_fanned(body)
