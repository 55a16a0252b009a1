from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock import errors
from penstock.panel.replies import ApiFault, as_json, fault_of, json_reply, refusal
from penstock.server.amqp.errors import ChannelFault
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.errors import CannotEncode

if TYPE_CHECKING:
    from penstock.errors import PenstockError


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ApiFault(418, "no"), 418),
        (ChannelFault(ReplyCode.NOT_FOUND, "no"), 404),
        (ChannelFault(ReplyCode.ACCESS_REFUSED, "no"), 403),
        (ChannelFault(ReplyCode.PRECONDITION_FAILED, "no"), 400),
        (ChannelFault(ReplyCode.RESOURCE_LOCKED, "no"), 400),
        (errors.NotPermitted("no"), 403),
        (errors.UnknownQueue("no"), 404),
        (errors.UnknownUser("no"), 404),
        (errors.BadUser("no"), 400),
        (errors.ConstraintBroken("no"), 400),
        (errors.StoreFull("no"), 503),
        (CannotEncode("no"), 400),
        (errors.SidetreeError("no"), 500),
    ],
)
def test_every_error_is_a_status(error: PenstockError, status: int) -> None:
    fault = fault_of(error)
    assert (fault.status, str(fault)) == (status, "no")


def test_a_refusal_has_a_word_for_programs_and_a_sentence_for_people() -> None:
    reply = refusal(ApiFault(404, "there is none", headers={"Allow": "GET"}))
    assert (reply.status, reply.headers) == (404, {"Allow": "GET"})
    assert json.loads(reply.body) == {"error": "Object Not Found", "reason": "there is none"}
    assert json.loads(refusal(ApiFault(418, "tea")).body)["error"] == "error"


def test_texts_that_json_cannot_have_are_made_readable() -> None:
    assert json.loads(as_json({"a\udcff": ["\udcff", 1]})) == {"a\ufffd": ["\ufffd", 1]}


def test_an_answer_is_json() -> None:
    reply = json_reply([1], 201)
    assert (reply.status, reply.kind, reply.body) == (201, "application/json", b"[1]")
