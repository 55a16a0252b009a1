from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.sidetree.go_uris import ENDPOINTS
from penstock.sidetree.uris import REFERENCES, USUAL

UUID = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"

#: What texts that are nearly URIs are made of.
ATOMS = [
    "http",
    "HTTPS",
    "urn",
    "uuid",
    UUID,
    "mailto",
    "to",
    "ws",
    "a",
    ":",
    "//",
    "?",
    "#",
    "@",
    "b",
    ",",
    "&",
]
ATOMS += ["=", "[", "]", ".", "80", " ", "\n", "ü", "%", "/"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "any text", "a|b", "<x>", "http", "ws:", "did:", "//h", "?", ":"),
        *(
            "http://a",
            "HTTP://a",
            "http://u@a",
            "http://[::1",
            "http://a:port",
            "https://a/ b",
            "http://u@a@b",
        ),
        *("urn:a:", "urn:a:b", f"urn:uuid:{UUID}", f"URN:UUID:{UUID}?a#b", "urn://h/a:b"),
        *(
            "mailto:",
            "mailto:?",
            "mailto:a@b",
            "mailto:a@b,@c",
            "mailto:a@b?to=c@d&subject",
            "mailto:?x&to=@",
        ),
    ],
)
def test_what_uri_js_takes_is_a_reference(text: str) -> None:
    assert REFERENCES.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "http:",
            "http://",
            "HTTP://",
            "https:///a",
            "http:a",
            "http:/a",
            "http://u@",
            "http://:80",
            "http://?a",
        ),
        *("urn:", "urn:a", "urn::a", "URN:a", "urn:?a:b", f"urn:uuid:{UUID}0", "urn:uuid:1", "urn://h:a"),
        *("mailto:a", "mailto:a@b,", "mailto:a@b?to", "mailto:a@b?to=", "mailto:?x&to=c@d,e"),
    ],
)
def test_what_it_finds_an_error_in_is_none(text: str) -> None:
    assert not REFERENCES.fullmatch(text)


@given(st.lists(st.sampled_from(ATOMS), max_size=8).map("".join))
def test_what_is_usual_is_taken_everywhere(text: str) -> None:
    if re.fullmatch(USUAL, text):
        assert REFERENCES.fullmatch(text)
        assert ENDPOINTS.fullmatch(text)


@pytest.mark.parametrize(
    "text", ["mailto:" + "@," * 480, "mailto:a@b?" + "to=@&" * 190, "urn://" + "a:" * 480]
)
def test_no_text_takes_long(text: str) -> None:
    # Each would take years if the pattern tried twice what it has taken once.
    REFERENCES.fullmatch(text)
