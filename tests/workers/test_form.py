from __future__ import annotations

import msgspec
import pytest

from penstock.errors import InvalidMessage
from penstock.workers.form import encode_form, read_form


class Upgrade(msgspec.Struct):
    building_id: int


def test_a_job_of_the_seed_is_read() -> None:
    body = b'{ "route" : "/starmap/getMapChunk", "user_id" : 3, "content" : { "sector" : 0 } }'
    form = read_form(body)
    assert (form.route, form.user_id, bytes(form.content)) == ("/starmap/getMapChunk", 3, b'{ "sector" : 0 }')


def test_whose_job_it_is_need_not_be_told_and_more_may_be() -> None:
    form = read_form(b'{"content": {}, "route": "/captcha/generate", "colour": "red"}')
    assert (form.route, form.user_id, bytes(form.content)) == ("/captcha/generate", None, b"{}")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "truncated"),
        (b"not JSON", "malformed"),
        (b'"/captcha/generate"', "object"),
        (b"{}", "route"),
        (b'{"route": "/captcha/generate"}', "content"),
        (b'{"content": {}}', "route"),
        (b'{"route": 1, "content": {}}', "route"),
        (b'{"route": "/a", "user_id": [1], "content": {}}', "user_id"),
        (b'{"route": "\xff", "content": {}}', "utf-8"),
    ],
)
def test_what_is_no_job_is_refused_with_the_reason(body: bytes, why: str) -> None:
    with pytest.raises(InvalidMessage, match=rf"(?s)this is no job.*{why}"):
        read_form(body)


@pytest.mark.parametrize("content", [{"building_id": 7}, Upgrade(7)], ids=["plain", "typed"])
def test_a_job_is_written_in_the_seeds_form(content: object) -> None:
    body = encode_form("/building/finishUpgrade", content, "anne")
    assert msgspec.json.decode(body) == {
        "route": "/building/finishUpgrade",
        "user_id": "anne",
        "content": {"building_id": 7},
    }
    assert b"user_id" not in encode_form("/captcha/generate", {})


def test_a_content_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(InvalidMessage, match="the content for /a cannot be written as JSON"):
        encode_form("/a", {"what": object()})
