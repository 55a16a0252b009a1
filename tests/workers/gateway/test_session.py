from __future__ import annotations

from base64 import urlsafe_b64encode
from math import inf

import pytest

from penstock.errors import BadSetting, BadToken
from penstock.workers.gateway.session import Session, SessionTokens
from tests.workers.gateway.support import still_clock

SECRET, OTHER = b"s" * 32, b"o" * 32


@pytest.mark.parametrize("user", [3, "3", "ä/?"])
def test_a_token_proves_who_it_was_issued_for(user: int | str) -> None:
    clock = still_clock()
    tokens = SessionTokens(SECRET, clock=clock)
    session = tokens(tokens.issue(user, lasts=60))
    assert session == Session(user_id=user, until=clock.now() + 60)
    assert Session(user_id=3).until == inf


def test_three_as_a_number_and_as_a_text_is_one_user() -> None:
    assert Session(user_id=3).user == Session(user_id="3").user


def test_a_token_that_is_over_proves_nothing() -> None:
    clock = still_clock()
    tokens = SessionTokens(SECRET, clock=clock)
    token = tokens.issue(3, lasts=60)
    clock.advance(60)
    with pytest.raises(BadToken, match="the session is over"):
        tokens(token)


def test_a_token_with_any_character_changed_proves_nothing() -> None:
    tokens = SessionTokens(SECRET, clock=still_clock())
    token = tokens.issue(3)
    for position in range(len(token)):
        changed = "A" if token[position] != "A" else "B"
        # The last characters of base64 may have bits that count for nothing.
        if position in {token.index(".") - 1, len(token) - 1}:
            continue
        with pytest.raises(BadToken):
            tokens(token[:position] + changed + token[position + 1 :])


@pytest.mark.parametrize("token", ["", ".", "a", "a.b", "ä.ä", "{}.{}", "A" * 5000 + ".A", "a.b.c"])
def test_what_is_no_token_proves_nothing(token: str) -> None:
    with pytest.raises(BadToken):
        SessionTokens(SECRET)(token)


def test_what_another_has_signed_proves_nothing() -> None:
    with pytest.raises(BadToken, match="not signed here"):
        SessionTokens(SECRET)(SessionTokens(OTHER).issue(3))
    nobody = urlsafe_b64encode(b'{"user_id":3,"until":9e9}').decode().rstrip("=")
    with pytest.raises(BadToken):
        SessionTokens(SECRET)(f"{nobody}.{nobody}")


def test_a_secret_can_be_changed_without_throwing_everybody_out() -> None:
    old = SessionTokens(OTHER).issue(3)
    assert SessionTokens(SECRET, previous=(OTHER,))(old).user_id == 3
    with pytest.raises(BadToken):
        SessionTokens(OTHER)(SessionTokens(SECRET, previous=(OTHER,)).issue(3))


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(BadSetting, match="32 bytes or more"):
        SessionTokens(b"short")
