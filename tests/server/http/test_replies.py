from __future__ import annotations

import json

import pytest

from penstock import errors
from penstock.errors import PenstockError
from penstock.server.http.replies import HttpFault, fault_of, json_reply, refusal, text_reply
from penstock.wire.amqp import CannotEncode, Malformed


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotPermitted("no"), 403),
        (errors.UnknownQueue("no"), 404),
        (errors.UnknownReader("no"), 404),
        (errors.UnknownVirtualHost("no"), 404),
        (errors.CommitAhead("no"), 409),
        (errors.Locked("no"), 409),
        (errors.BadConfiguration("no"), 400),
        (CannotEncode("no"), 400),
        (Malformed("no"), 400),
        (errors.ArrowMissing("no"), 501),
        (errors.StoreFull("no"), 503),
        (PenstockError("no"), 500),
    ],
)
def test_every_error_has_a_status_and_keeps_its_name(error: PenstockError, status: int) -> None:
    reply = refusal(fault_of(error))
    assert reply.status == status
    assert json.loads(reply.body) == {"error": "no", "kind": type(error).__name__}


def test_a_reader_in_use_says_by_whom_and_until_when() -> None:
    reply = refusal(fault_of(errors.ReaderInUse("taken", holder="me", until=5.5)))
    assert reply.status == 409
    assert json.loads(reply.body) == {"error": "taken", "kind": "ReaderInUse", "holder": "me", "until": 5.5}


def test_a_fault_stays_what_it_is() -> None:
    fault = HttpFault(418, "short and stout", headers=(("A", "b"),))
    assert fault_of(fault) is fault
    assert (refusal(fault).status, refusal(fault).headers) == (418, (("A", "b"),))


def test_what_is_said_is_json_or_text() -> None:
    assert (json_reply({"a": 1}).kind, json_reply({"a": 1}).body) == ("application/json", b'{"a": 1}')
    assert (text_reply("é").kind, text_reply("é").body) == ("text/plain; charset=utf-8", "é".encode())
