from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from penstock.did.activities.signatures import Request, sign_request, verify_request
from penstock.did.credentials.keys import ED25519, P_256, PublicKey, SigningKey
from penstock.errors import BadHttpSignature, Unavailable

NOW = 1_700_000_000.5
SKEW = 60.0
KEYS = {f"https://a.example/keys/{kind}": SigningKey.generate(kind) for kind in (ED25519, P_256)}
ED, ES = KEYS
POST = Request(method="POST", target="/services/orb/inbox?a=b", body=b'{"type":"Follow"}')
GET = Request(method="GET", target="/services/orb/followers")


def key_for(key_id: str) -> PublicKey:
    if key_id not in KEYS:
        raise Unavailable(f"{key_id} cannot be fetched")
    return KEYS[key_id].public


def signed(request: Request, key_id: str = ED, now: float = NOW, **changed: str) -> Request:
    """As it arrives."""
    headers = {**sign_request(request, KEYS[key_id], key_id=key_id, now=now), **changed}
    return replace(request, headers=[("Host", "b.example"), *headers.items()])


def verified(request: Request, now: float = NOW) -> str:
    return verify_request(request, key_for, now=now, skew=SKEW)


@pytest.mark.parametrize("key_id", KEYS)
@pytest.mark.parametrize("request_", [POST, GET], ids=["POST", "GET"])
def test_what_is_signed_is_verified(request_: Request, key_id: str) -> None:
    assert verified(signed(request_, key_id)) == key_id


def test_the_headers_are_those_that_orb_reads() -> None:
    added = sign_request(POST, KEYS[ED], key_id=ED, now=NOW)
    assert added["Date"] == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert added["Digest"].startswith("SHA-256=")
    lines = [f"(request-target): post {POST.target}", f"date: {added['Date']}", f"digest: {added['Digest']}"]
    signature = b64encode(KEYS[ED].sign("\n".join(lines).encode())).decode()
    assert added["Signature"] == (
        f'keyId="{ED}",algorithm="Sign",headers="(request-target) date digest",signature="{signature}"'
    )
    assert set(sign_request(GET, KEYS[ED], key_id=ED, now=NOW)) == {"Date", "Signature"}


def by_hand(request: Request, names: str, algorithm: str = "Sign", key_id: str = ED, **more: str) -> Request:
    """Signed over other headers, as another domain might do it."""
    headers = {"Date": "Tue, 14 Nov 2023 22:13:20 GMT", **more}
    own = {"(request-target)": f"{request.method.lower()} {request.target}", "(created)": "1700000000"}
    found = {**own, **{name.lower(): value for name, value in headers.items()}}
    text = "\n".join(f"{name.lower()}: {found[name.lower()]}" for name in names.split())
    signature = b64encode(KEYS[key_id].sign(text.encode())).decode()
    said = f'keyId="{key_id}",algorithm="{algorithm}",created=1700000000,headers="{names}"'
    said += f',signature="{signature}"'
    return replace(request, headers=[*headers.items(), ("Signature", said)])


@pytest.mark.parametrize(
    ("names", "algorithm", "key_id"),
    [
        ("(request-target) Date", "Sign", ED),
        ("Date (request-target)", "hs2019", ES),
        ("(request-target) Date (created)", "ed25519", ED),
        ("(request-target) date x-more", "ecdsa-sha256", ES),
    ],
)
def test_other_domains_may_sign_more_in_another_order(names: str, algorithm: str, key_id: str) -> None:
    assert verified(by_hand(GET, names, algorithm, key_id, **{"X-More": "more"})) == key_id


def test_a_header_that_stands_twice_counts_with_both_values() -> None:
    request = by_hand(GET, "(request-target) date x-more", **{"X-More": "a, b"})
    twice = [pair for pair in request.headers if pair[0] != "X-More"] + [("x-more", "a"), ("X-MORE", " b ")]
    assert verified(replace(request, headers=twice)) == ED


CASES: list[tuple[str, Request, str]] = [
    ("no signature", POST, "unsigned"),
    ("no sense", replace(POST, headers=[("Signature", "x")]), "malformed"),
    ("two signatures", replace(GET, headers=[*signed(GET).headers, ("Signature", "x")]), "malformed"),
    ("an unknown algorithm", by_hand(GET, "(request-target) date", "rsa-sha256"), "algorithm"),
    ("an algorithm of other keys", by_hand(GET, "(request-target) date", "ed25519", ES), "algorithm"),
    ("no target", by_hand(GET, "date"), "headers"),
    ("no date", by_hand(GET, "(request-target)"), "headers"),
    ("a body without its digest", by_hand(POST, "(request-target) date"), "headers"),
    (
        "a header that is not there",
        signed(GET, Signature=by_hand(GET, "(request-target) date x", X="1").headers[-1][1]),
        "headers",
    ),
    ("a date that is none", signed(GET, Date="yesterday"), "date"),
    ("a day that is none", signed(GET, Date="Tue, 31 Feb 2023 22:13:20 GMT"), "date"),
    ("a month that is none", signed(GET, Date="Tue, 14 Xxx 2023 22:13:20 GMT"), "date"),
    (
        "two dates",
        replace(GET, headers=[*signed(GET).headers, ("date", "Tue, 14 Nov 2023 22:13:20 GMT")]),
        "date",
    ),
    ("another date", signed(GET, Date="Tue, 14 Nov 2023 22:13:21 GMT"), "signature"),
    ("another body", replace(signed(POST), body=b"{}"), "digest"),
    (
        "another body with its digest",
        replace(signed(POST, Digest="SHA-256=RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="), body=b"{}"),
        "signature",
    ),
    ("another path", replace(signed(POST), target="/services/orb/outbox"), "signature"),
    ("another query", replace(signed(POST), target="/services/orb/inbox?a=c"), "signature"),
    ("another method", replace(signed(GET), method="DELETE"), "signature"),
    ("another's key", signed(GET, Signature=signed(GET).headers[-1][1].replace(ED, ES)), "signature"),
]


@pytest.mark.parametrize(("request_", "rule"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_not_signed_as_it_must_be_is_refused_with_its_rule(request_: Request, rule: str) -> None:
    with pytest.raises(BadHttpSignature) as caught:
        verified(request_)
    assert caught.value.rule == rule


@pytest.mark.parametrize(("off", "expected"), [(-61.0, False), (-59.0, True), (59.0, True), (61.0, False)])
def test_a_request_is_of_now_give_or_take_the_clocks(off: float, expected: bool) -> None:  # noqa: FBT001  a column
    request = signed(GET, now=NOW + off)
    if expected:
        assert verified(request) == ED
        return
    with pytest.raises(BadHttpSignature, match="s from now, 60 s are allowed") as caught:
        verified(request)
    assert caught.value.rule == "date"


def parameters(request: Request, **changed: Any) -> Request:
    said = request.headers[-1][1]
    for name, value in changed.items():
        said = said.replace(
            "created=1700000000",
            f"created=1700000000,{name}={value}" if name != "created" else f"created={value}",
        )
    return replace(request, headers=[*request.headers[:-1], ("Signature", said)])


def test_a_signature_that_has_expired_or_is_yet_to_come_is_refused() -> None:
    request = by_hand(GET, "(request-target) date")
    assert verified(parameters(request, expires=1_700_000_000)) == ED
    for changed in ({"expires": 1_699_999_900}, {"created": 1_700_000_100}):
        with pytest.raises(BadHttpSignature) as caught:
            verified(parameters(request, **changed))
        assert caught.value.rule == "date"


def test_a_key_that_cannot_be_fetched_leaves_it_open() -> None:
    with pytest.raises(Unavailable):
        verified(signed(GET, Signature=signed(GET).headers[-1][1].replace(ED, "https://far.example")))


def test_no_key_is_fetched_for_a_request_that_cannot_hold() -> None:
    def nobody(key_id: str) -> PublicKey:
        raise AssertionError(key_id)

    with pytest.raises(BadHttpSignature):
        verify_request(replace(signed(POST), body=b"{}"), nobody, now=NOW, skew=SKEW)
