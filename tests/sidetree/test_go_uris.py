from __future__ import annotations

import pytest

from penstock.sidetree.go_uris import ENDPOINTS, NAMES, rewritten

#: What both take.
URIS = [
    *("a:", "a:b", "did:web:a", "urn:a b%", "mailto:a@b?%", "a:?/%", "A+-.1:x", "http:", "http:/", "http:a"),
    *(
        "http://",
        "http:///",
        "http://h",
        "HTTP://h:",
        "http://h:80?%",
        "http://a:b:80/",
        "http://ü.example/ß",
    ),
    *(
        "http://u@h",
        "http://u:p%20@h",
        "http://u@v@h",
        "http://@",
        'http://<">',
        "http://%C3%A9",
        "http://%25",
    ),
    *("http://[::1]", "http://[::1]:", "http://[::1]:80/a", "http://[fe80::1%25en%200]"),
    *("/", "/a b", "/a:b", "/a%20b?%", "///h:port", "*", "http:/a?b#c"),
]

#: What neither does.
NONE = [
    *(
        "\n",
        "a:\x7f",
        ":",
        ":a",
        "1:a",
        "ü:a",
        "a b:c",
        "%zz",
        "/%",
        "/%2",
        "/a%zz?",
        "http:/%zz",
        "http://h/%",
    ),
    *("http://h:port", "http://h:80:a", "http://a b", "http://h\\", "http://{h}", "http://%41", "http://h%"),
    *("http://ü@h", "http://u%@h", "http://u v@h", "http://[::1", "http://[::1]a", "http://[::1]:a"),
    *("http://[%41]", "http://[a%25%C3]", "http://[a%25%2F]", "http://h@[", "[a:b]"),
]


@pytest.mark.parametrize("text", URIS)
def test_both_take_uris_and_paths(text: str) -> None:
    assert ENDPOINTS.fullmatch(text)
    assert NAMES.fullmatch(text)


@pytest.mark.parametrize("text", NONE)
def test_neither_takes_what_go_finds_an_error_in(text: str) -> None:
    assert not ENDPOINTS.fullmatch(text)
    assert not NAMES.fullmatch(text)


@pytest.mark.parametrize("text", ["", "a", "a/b:c", "?a:b", "?%", "#", "#\n", "./a:b", "http://h#a"])
def test_a_name_may_have_a_fragment_and_be_relative(text: str) -> None:
    assert NAMES.fullmatch(text)
    assert not ENDPOINTS.fullmatch(text)


@pytest.mark.parametrize("text", ["/#%", "/a#%zz", "//h:port", "//a b"])
def test_then_there_are_more_errors_to_find(text: str) -> None:
    assert not NAMES.fullmatch(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        ("a#", "a"),
        ("HTTP://H/a", "http://H/a"),
        ("http://", "http:"),
        ("http:///", "http:///"),
        ("http:/a", "http:/a"),
        ("Did:web:a b", "did:web:a b"),
        ("/a b", "/a%20b"),
        ("/%41", "/%41"),
        ("/%41 ", "/A%20"),
        ("%2A", "*"),
        ("a%3Ab ", "./a:b%20"),
        ("//h", "//h"),
        ("//?a", "?a"),
        ("http://u!:@%C3%A9?a b", "http://u%21:@%C3%A9?a b"),
        ("http://ü", "http://%C3%BC"),
        ("http://@/", "http://@/"),
        ("a?#b c", "a?#b%20c"),
        ("a#%62", "a#%62"),
    ],
)
def test_how_go_writes_them_again(text: str, written: str) -> None:
    assert rewritten(text) == written


def test_what_is_none_is_not_written() -> None:
    with pytest.raises(ValueError, match="no URI"):
        rewritten("%zz")


@pytest.mark.parametrize(
    "text",
    [f"http://{'a:' * 800}a", f"http://{'@' * 1600} ", f"http://[{'%25' * 500}", f"/{'%20' * 500}%"],
)
def test_no_text_takes_long(text: str) -> None:
    # Each would take years if the patterns tried again and again what they have taken once.
    assert not ENDPOINTS.fullmatch(text)
    assert not NAMES.fullmatch(text)
