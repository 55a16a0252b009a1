from __future__ import annotations

import pytest

from penstock.did.hints import hint_to, url_of


@pytest.mark.parametrize(
    ("service", "hint", "url"),
    [
        ("https://a.example/services/orb", "https:a.example", "https://a.example"),
        ("http://127.0.0.1:8326/services/orb", "http:127.0.0.1:8326", "http://127.0.0.1:8326"),
        ("did:web:a.example:services:orb", "https:a.example", "https://a.example"),
    ],
)
def test_a_service_leads_to_its_domain(service: str, hint: str, url: str) -> None:
    assert (hint_to(service), url_of(service)) == (hint, url)


@pytest.mark.parametrize("nobody", ["somebody", ""])
def test_who_tells_no_domain_leads_nowhere(nobody: str) -> None:
    assert hint_to(nobody) == url_of(nobody) == ""
