from __future__ import annotations

from base64 import b64encode
from hashlib import sha512

import pytest

from penstock.did.activities.digest import check_digest, digest_of_body
from penstock.errors import BadHttpSignature

#: RFC 3230's way of the SHA-256 of {"hello": "world"}, as draft-cavage has it.
KNOWN = "SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="
BODY = b'{"hello": "world"}'
IN_512 = f"SHA-512={b64encode(sha512(BODY).digest()).decode()}"


def test_the_digest_of_a_body_is_written_and_checked() -> None:
    assert digest_of_body(BODY) == KNOWN
    for header in (
        KNOWN,
        KNOWN.lower().replace(KNOWN[8:].lower(), KNOWN[8:]),
        IN_512,
        f"{IN_512}, {KNOWN}",
        f"MD5=x,{KNOWN}",
    ):
        check_digest(header, BODY)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "SHA-256",
        "SHA-256=",
        "SHA-256=!",
        "SHA-256=ü",
        "MD5=Sd/dVLAcvNLSq16eXua5uQ==",
        f"{KNOWN},SHA-512=AAAA",
        f"{KNOWN},SHA-256=",
    ],
)
def test_any_other_is_refused(header: str) -> None:
    with pytest.raises(BadHttpSignature) as caught:
        check_digest(header, BODY)
    assert caught.value.rule == "digest"


def test_the_digest_of_another_body_is_refused() -> None:
    with pytest.raises(BadHttpSignature, match="the body is not the one"):
        check_digest(KNOWN, BODY + b" ")
