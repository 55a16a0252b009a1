from __future__ import annotations

import pytest

from penstock.did.federation.iris import Iris, service_at
from penstock.errors import BadActivity

IRIS = Iris("https://a.example")


def test_everything_of_a_service_is_named_after_it() -> None:
    assert IRIS.service == "https://a.example/services/orb"
    assert IRIS.key == "https://a.example/services/orb/keys/main-key"
    assert IRIS.collection("followers") == "https://a.example/services/orb/followers"
    assert IRIS.activity("1") == "https://a.example/services/orb/activities/1"


def test_a_new_activity_is_like_no_other_and_an_answer_always_the_same() -> None:
    assert IRIS.new_activity() != IRIS.new_activity()
    assert IRIS.answer("accept", "x") == IRIS.answer("accept", "x") != IRIS.answer("reject", "x")
    assert IRIS.answer("a", "bc") != IRIS.answer("ab", "c")


@pytest.mark.parametrize(
    ("url", "service"),
    [
        ("https://a.example", "https://a.example/services/orb"),
        ("http://127.0.0.1:8326/", "http://127.0.0.1:8326/services/orb"),
        ("https://a.example/services/anchor", "https://a.example/services/anchor"),
        ("did:web:a.example:services:orb", "did:web:a.example:services:orb"),
    ],
)
def test_a_domains_service_is_where_orb_has_it(url: str, service: str) -> None:
    assert service_at(url) == service


@pytest.mark.parametrize("url", ["a.example", "ftp://a.example", "https://", "https://[", "nonsense"])
def test_what_is_no_url_of_a_domain_is_refused(url: str) -> None:
    with pytest.raises(BadActivity, match=r"no.* URL"):
        service_at(url)
