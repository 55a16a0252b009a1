from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.activities.signature_header import SignatureHeader
from penstock.errors import BadHttpSignature

FULL = SignatureHeader(key_id="https://a/1", signature=b"it", headers=("(request-target)", "date"))
TEXT = 'keyId="https://a/1",algorithm="Sign",headers="(request-target) date",signature="aXQ="'


def test_what_is_written_is_read() -> None:
    assert FULL.text(shown="Sign") == TEXT
    read = SignatureHeader.parse(TEXT)
    assert (read.key_id, read.signature, read.headers) == (FULL.key_id, FULL.signature, FULL.headers)
    assert read.algorithm == "sign"


@pytest.mark.parametrize(
    "text",
    [
        'keyId="k", signature="AA==" , headers="Date (Request-Target)"',
        'signature="AA==",headers="date (request-target)",keyId="k",opaque="who knows"',
        '  keyId = "k",signature="AA==",headers="DATE   (request-target)"',
    ],
)
def test_spaces_order_letters_and_unknown_parameters_do_not_matter(text: str) -> None:
    read = SignatureHeader.parse(text)
    assert (read.key_id, read.signature) == ("k", b"\0")
    assert read.headers == ("date", "(request-target)")


def test_without_headers_only_the_time_of_signing_is_signed() -> None:
    read = SignatureHeader.parse('keyId="k",signature="AA==",created=1402170695,expires=1402170699.5')
    assert read.headers == ("(created)",)
    assert (read.created, read.expires) == ("1402170695", "1402170699.5")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no keyId"),
        ("Signature", "column 1"),
        ('keyId="k"', "no signature"),
        ('signature="AA=="', "no keyId"),
        ('keyId="",signature="AA=="', "no keyId"),
        ('keyId="k",signature="?"', "not in base64"),
        ('keyId="k",signature="ü"', "not in base64"),
        ('keyId="k",keyId="l",signature="AA=="', "keyId twice"),
        ('keyId="k" signature="AA=="', "column 1"),
        ('keyId="k",signature="AA==', "column 11"),
        ('keyId="k",signature="AA==",', "ends with a comma"),
        ('keyId="k",signature="AA==",headers=""', "names no headers"),
        ('keyId="k",signature="AA==",headers="date Date"', "or one twice"),
        ('keyId="k",signature="AA==",created="now"', "created in the Signature header is no number"),
        ('keyId="k",signature="AA==",expires=12345678901234', "no number"),
        ('keyId="' + "k" * 5000 + '",signature="AA=="', "not read"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(BadHttpSignature, match=reason) as caught:
        SignatureHeader.parse(text)
    assert caught.value.rule == "malformed"


@given(st.sampled_from(["", 'keyId="k",signature="', 'keyId="k",signature="AA==",']), st.text(max_size=60))
def test_any_text_is_a_header_or_refused(beginning: str, rest: str) -> None:
    try:
        SignatureHeader.parse(beginning + rest)
    except BadHttpSignature:
        return
