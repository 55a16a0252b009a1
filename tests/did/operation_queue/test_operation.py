from __future__ import annotations

import json
from base64 import b64encode

import pytest

from penstock.did.operation_queue.operation import (
    decode_operation,
    encode_operation,
    message_of,
    operation_id,
)
from penstock.errors import InvalidMessage
from penstock.messaging import Message
from tests.did.endless import with_endless
from tests.did.operation_queue.helpers import operation, posted, read


def test_a_message_is_written_as_orb_writes_it() -> None:
    made = posted(7, retries=2, has_error=True, protocol_version=5)
    message = message_of(made, delay=7.5)
    assert json.loads(message.body) == {
        "id": made.id,
        "operation": {
            "Type": "create",
            "OperationRequest": b64encode(b'{"n":7}').decode(),
            "UniqueSuffix": "did-7",
            "Namespace": "did:orb",
            "AnchorOrigin": "https://orb.domain1.com",
            "Properties": None,
            "ProtocolVersion": 5,
        },
        "retries": 2,
        "hasError": True,
    }
    assert (message.id, message.headers, message.delay, message.durable) == (
        made.id,
        {"retries": 2},
        7.5,
        True,
    )


def test_a_first_posting_has_no_header_at_all() -> None:
    assert message_of(posted(7)).headers == {}


def test_what_is_written_is_read_back() -> None:
    made = posted(7, retries=2, has_error=True, properties=[{"Key": "k", "Value": [1]}], anchor_origin=None)
    assert read(message_of(made)) == made
    assert decode_operation(encode_operation(made.operation)) == made.operation


def test_an_operation_is_known_by_its_request_whatever_the_message_calls_it() -> None:
    # Orb gives each message a name of its own.
    body = json.loads(message_of(posted(7)).body)
    renamed = Message(body=json.dumps(body | {"id": "5a9c3f6e"}).encode())
    assert read(renamed).id == posted(7).id == operation_id(operation(7).operation_request)
    assert posted(8).id != posted(7).id


def test_a_message_may_have_more_and_needs_little() -> None:
    least = {"operation": {"Type": "update", "OperationRequest": "e30=", "UniqueSuffix": "x"}, "new": 1}
    found = read(Message(body=json.dumps(least).encode()))
    assert (found.operation.operation_request, found.retries, found.has_error) == (b"{}", 0, False)


FINE = json.loads(message_of(posted()).body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        json.dumps({"retries": 0}).encode(),
        json.dumps(FINE | {"retries": -1}).encode(),
        json.dumps(FINE | {"retries": 10**12}).encode(),
        json.dumps(FINE | {"retries": "2"}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"Type": "revoke"}}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"OperationRequest": "%"}}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"UniqueSuffix": ""}}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"UniqueSuffix": "EiA\0"}}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"UniqueSuffix": "EiA\n"}}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"UniqueSuffix": "a" * 201}}).encode(),
        json.dumps(FINE | {"operation": FINE["operation"] | {"ProtocolVersion": 2**70}}).encode(),
        with_endless("more", json.dumps(FINE).encode()),
    ],
)
def test_what_posts_no_operation_is_refused_for_good(body: bytes) -> None:
    with pytest.raises(InvalidMessage, match=r"^it posts no DID operation: "):
        read(Message(body=body))
