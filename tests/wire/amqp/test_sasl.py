from __future__ import annotations

import pytest

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.sasl import (
    Claim,
    amqplain_response,
    external_response,
    plain_response,
    read_response,
)
from penstock.wire.amqp.table import encode_table

RESPONSES = [
    ("PLAIN", plain_response("né", "p"), "né", "p"),
    # an authorization identity is ignored
    ("PLAIN", b"who\0u\0p", "u", "p"),
    ("PLAIN", b"\0u\0", "u", ""),
    ("AMQPLAIN", amqplain_response("u", "p"), "u", "p"),
    ("EXTERNAL", external_response("u"), "u", None),
    # the certificate says who
    ("EXTERNAL", external_response(), None, None),
    # not known here, so it is the caller's to read
    ("RABBIT-CR-DEMO", b"anything", None, None),
]


@pytest.mark.parametrize(("mechanism", "response", "username", "password"), RESPONSES)
def test_what_a_response_claims(
    mechanism: str, response: bytes, username: str | None, password: str | None
) -> None:
    claim = read_response(mechanism, response, {"product": "x"})
    assert claim == Claim(mechanism, username, password, response, {"product": "x"})


BROKEN = [
    ("PLAIN", b""),
    ("PLAIN", b"u\0p"),
    ("PLAIN", b"\0u\0p\0more"),
    ("PLAIN", b"\0\xff\0p"),
    ("AMQPLAIN", b"\x05LOG"),
    ("AMQPLAIN", encode_table({"LOGIN": "u"})[4:]),
    ("AMQPLAIN", encode_table({"LOGIN": "u", "PASSWORD": 5})[4:]),
    ("EXTERNAL", b"\xff"),
]


@pytest.mark.parametrize(("mechanism", "response"), BROKEN)
def test_what_a_mechanism_does_not_say_is_malformed(mechanism: str, response: bytes) -> None:
    with pytest.raises(Malformed):
        read_response(mechanism, response, {})


def test_no_password_is_shown() -> None:
    assert "hush" not in repr(read_response("PLAIN", plain_response("u", "hush"), {}))
