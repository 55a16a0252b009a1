"""Headers: what the browser is told to keep to."""

from __future__ import annotations

import pytest

from penstock.panel.accounts.headers import POLICY, headers_for


def test_the_policy_lets_nothing_run_that_is_not_a_file_of_ours() -> None:
    directives = dict(each.split(" ", 1) for each in POLICY.split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == directives["connect-src"] == "'self'"
    assert directives["frame-ancestors"] == directives["base-uri"] == "'none'"
    assert not any("unsafe" in each or "http" in each for each in directives.values())


@pytest.mark.parametrize(
    ("path", "caching"), [("/api/queues", "no-store"), ("/", "no-store"), ("/static/x/core/api.js", None)]
)
def test_what_is_told_of_queues_is_kept_nowhere(path: str, caching: str | None) -> None:
    told = dict(headers_for(path, is_tls=False))
    assert told.get("Cache-Control") == caching
    assert told["X-Content-Type-Options"] == "nosniff"


def test_only_behind_tls_the_browser_is_told_to_stay_there() -> None:
    assert "Strict-Transport-Security" in dict(headers_for("/", is_tls=True))
    assert "Strict-Transport-Security" not in dict(headers_for("/", is_tls=False))
