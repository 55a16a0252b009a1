from __future__ import annotations

import pytest

from penstock.client.endpoint import TLS, Endpoint, read_parameters, shown, split_url
from penstock.errors import BadUrl

SCHEMES = {"x": (7, False), "xs": (8, True)}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x://", ("localhost", 7, False)),
        ("xs://h", ("h", 8, True)),
        ("xs://[::1]:9/path", ("::1", 9, True)),
    ],
)
def test_a_url_says_where_a_server_is(text: str, place: tuple[str, int, bool]) -> None:
    _, found = split_url(text, "a URL", SCHEMES)
    endpoint = Endpoint(**found)
    assert (endpoint.host, endpoint.port, endpoint.is_tls) == place


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("y://u:sesame@h", "a URL begins with x:// or xs://, not y"),
        ("x://u:sesame@h:p", "a URL cannot be read"),
    ],
)
def test_what_is_no_url_is_told_without_its_password(text: str, told: str) -> None:
    with pytest.raises(BadUrl, match=told) as caught:
        split_url(text, "a URL", SCHEMES)
    assert "sesame" not in str(caught.value)


def test_parameters_are_read_by_their_table() -> None:
    parts, _ = split_url("xs://h?cacertfile=a&verify=VERIFY_NONE", "a URL", SCHEMES)
    assert read_parameters(parts, "a URL", TLS) == {"ca_file": "a", "verify": "verify_none"}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("when=now", "a URL has no parameter when, only cacertfile"),
        ("verify=no", "verify is one of .*, not 'no'"),
    ],
)
def test_a_parameter_that_cannot_be_is_told_without_the_password(query: str, told: str) -> None:
    parts, _ = split_url(f"xs://u:sesame@h/p?{query}", "a URL", SCHEMES)
    assert shown(parts) == "xs://h/p"
    with pytest.raises(BadUrl, match=told) as caught:
        read_parameters(parts, "a URL", TLS)
    assert "sesame" not in str(caught.value)


def test_an_address_is_written_as_urls_have_it() -> None:
    assert [Endpoint(host=host, port=5).address for host in ("h", "::1")] == ["h:5", "[::1]:5"]
