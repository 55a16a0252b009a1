from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import InvalidMessage, RequestRefused
from penstock.workers.gateway.asking import Asker, fanned_reply

ASKER = Asker(3, "c-1", "m/1")


@given(
    st.one_of(st.integers(0, 2**53), st.text(max_size=10)), st.text("ab.:-", max_size=9), st.integers(0, 99)
)
def test_a_jobs_id_tells_who_asked(user: int | str, code: str, msg_id: int) -> None:
    asker = Asker(user, code, msg_id)
    assert Asker.maybe_of(asker.job_id) == asker
    assert asker.job_id.isascii()


@pytest.mark.parametrize(
    "job_id", [None, "", "a" * 32, "ws", "ws/1/2", "ws/1/2/3/4/5", "ws/{/1/2", "WS/1/2/3"]
)
def test_other_ids_tell_nothing(job_id: str | None) -> None:
    assert Asker.maybe_of(job_id) is None


@pytest.mark.parametrize(("code", "msg_id"), [("", None), ("c1", None), ("", 1)])
def test_what_has_no_name_is_another_job_each_time(code: str, msg_id: int | None) -> None:
    first, second = (Asker.of(3, code, msg_id, nonce) for nonce in "ab")
    assert first.job_id != second.job_id
    told = fanned_reply(b'{"content":[1]}', first.job_id)
    assert (told.user_id, told.client_code, told.msg_id) == (3, code, msg_id)


def test_what_has_one_is_the_same_job() -> None:
    assert {Asker.of(3, "c1", 0, nonce).job_id for nonce in "ab"} == {"ws/3/%22c1%22/0"}


def test_names_that_are_too_long_for_an_id_are_refused() -> None:
    with pytest.raises(RequestRefused, match="too long together"):
        _ = Asker("ä" * 60, "c", 1).job_id


@pytest.mark.parametrize(
    ("body", "status", "message", "content"),
    [
        (b'{"job":"j","state":"progress","value":0.5}', 102, "", b"0.5"),
        (b'{"job":"j","state":"done","value":{"stars":[]}}', 200, "", b'{"stars":[]}'),
        (b'{"job":"j","state":"failed","error":"off its boundary"}', 500, "off its boundary", b"null"),
        (b'{"job":"j","state":"failed","error":"not now","status":409}', 409, "not now", b"null"),
        (b'{"content":[1]}', 200, "", b"[1]"),
        (b'{"status":404,"message":"no such chunk"}', 404, "no such chunk", b"{}"),
    ],
    ids=["progress", "done", "failed", "refused", "another's", "another's failure"],
)
def test_a_workers_reply_goes_to_the_client_that_asked(
    body: bytes, status: int, message: str, content: bytes
) -> None:
    fanned = fanned_reply(body, ASKER.job_id)
    assert (fanned.user_id, fanned.client_code, fanned.msg_id) == ASKER[:3]
    assert (fanned.status, fanned.message, bytes(fanned.content)) == (status, message, content)


def test_what_replies_to_nothing_is_for_a_user_as_in_the_seed() -> None:
    fanned = fanned_reply(b'{"route":"/starmap/chunk","user_id":3,"content":{}}', None)
    assert (fanned.route, fanned.user_id, fanned.status) == ("/starmap/chunk", 3, 0)


@pytest.mark.parametrize("body", [b"{", b"7", b'{"route":"/x"}', b'{"state":"asleep"}', b"\xff"])
@pytest.mark.parametrize("correlation_id", [None, ASKER.job_id], ids=["sent", "replied"])
def test_what_nobody_can_get_is_told(body: bytes, correlation_id: str | None) -> None:
    if correlation_id and body == b'{"route":"/x"}':
        assert fanned_reply(body, correlation_id).status == 200
        return
    with pytest.raises(InvalidMessage):
        fanned_reply(body, correlation_id)
