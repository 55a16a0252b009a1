"""Cookies: what begins and ends a session in a browser."""

from __future__ import annotations

import pytest

from penstock.panel.accounts import cookie
from penstock.panel.accounts.sessions import Sessions
from penstock.server.users import User

SESSION = Sessions().begin(User(name="alice"), 0.0)


@pytest.mark.parametrize("is_tls", [False, True])
def test_what_was_written_is_read(is_tls: bool) -> None:  # noqa: FBT001
    header = "; ".join(each.partition(";")[0] for each in cookie.written(SESSION, is_tls=is_tls))
    assert cookie.read(f"other=1; {header}", is_tls=is_tls) == SESSION.id


def test_a_script_reads_the_token_and_never_the_session() -> None:
    session, token = cookie.written(SESSION, is_tls=False)
    assert "HttpOnly" in session
    assert "HttpOnly" not in token
    assert token.startswith(f"penstock_csrf={SESSION.token};")


def test_behind_tls_no_cookie_travels_without_it_or_with_another_sites_request() -> None:
    for said in (*cookie.written(SESSION, is_tls=True), *cookie.cleared(is_tls=True)):
        assert {"Secure", "SameSite=Strict", "Path=/"} <= set(said.split("; "))


def test_a_cookie_that_was_set_without_tls_counts_for_nothing_behind_it() -> None:
    plain = cookie.written(SESSION, is_tls=False)[0].partition(";")[0]
    assert cookie.read(plain, is_tls=True) == ""


def test_a_session_ends_in_the_browser_too() -> None:
    assert all("Max-Age=0" in each for each in cookie.cleared(is_tls=False))


@pytest.mark.parametrize("header", ["", "penstock_session", "=;=;", "penstock_session=\x00", ";;;", "a=b"])
def test_a_header_that_names_no_session_names_none(header: str) -> None:
    assert not cookie.read(header, is_tls=False).strip("\x00")
