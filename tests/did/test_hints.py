from __future__ import annotations

import pytest

from penstock.did.hints import hint_to, where


@pytest.mark.parametrize(
    ("service", "hint"),
    [
        ("https://a.example/services/orb", "https:a.example"),
        ("http://127.0.0.1:8326/services/orb", "http:127.0.0.1:8326"),
        ("did:web:a.example:services:orb", "https:a.example"),
    ],
)
def test_a_service_leads_to_its_domain(service: str, hint: str) -> None:
    assert hint_to(service) == hint == ":".join(where(service))


@pytest.mark.parametrize("nobody", ["somebody", ""])
def test_who_tells_no_domain_leads_nowhere(nobody: str) -> None:
    assert hint_to(nobody) == ""
