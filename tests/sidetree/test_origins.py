from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.sidetree.origins import is_origin

LONG = "a" * 63


@pytest.mark.parametrize(
    "text",
    [
        "https://orb.example.com",
        "https://orb.example.com/services/orb",
        "http://127.0.0.1:7310/services/orb",
        "http://localhost",
        "https://[::1]:8443/services/orb",
        "https://xn--mnchen-3ya.example/a%20b/",
        "https://orb_1.domain-2.example",
        f"https://{LONG}.example:65535",
        "ipns://k51qzi5uqu5dgjceyz40t6xfnae8jqn5z17ojojggzwz2mhl7uyhdre8ateqek",
        "did:web:orb.domain1.com:services:orb",
        "did:web:localhost%3A7310:services:orb",
    ],
)
def test_a_domain_is_named_by_url_ipns_or_did(text: str) -> None:
    assert is_origin(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o",
        "*",
        "orb.example.com",
        "//orb.example.com",
        "https:orb.example.com",
        "https://",
        "https:///services/orb",
        "https://a..b",
        "https://.",
        "https://a.example.",
        "https://-a.example",
        "https://[",
        "https://[::1",
        "https://[::::]",
        "https://[v1.x]",
        f"https://{LONG}a.example",
        "https://" + ".".join([LONG] * 4),
        "https://a.example:65536",
        "https://a.example:",
        "https://user@a.example",
        "https://a.example/a b",
        "https://a.example/?q",
        "https://a.example/#f",
        "https://a.example/%zz",
        "https://a.example\n",
        "https://ü.example",
        "ftp://a.example",
        "ipns://",
        "did:web:",
    ],
)
def test_anything_else_is_no_domain(text: str) -> None:
    assert not is_origin(text)


@given(st.from_regex(r"https?://[\[\]0-9a-z.:%@-]{0,12}(/[!-~]{0,6})?", fullmatch=True))
@example("https://[::1]")
def test_what_is_an_origin_has_a_host_that_can_be_asked(text: str) -> None:
    if is_origin(text):
        parts = urlsplit(text)
        assert parts.hostname
        assert (parts.hostname.encode("idna"), parts.port or 0) >= (b"", 0)
