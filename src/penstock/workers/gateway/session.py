"""A session: who is at the other end of a connection; and the tokens that prove it, signed by us. Pure.

    base64url({"user_id": 3, "until": 1790000000}) . base64url(HMAC-SHA256 of that)

Whoever lets users in (a login page) issues one; every gateway that has the same secret believes it.
"""

from __future__ import annotations

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.clock import SystemClock
from penstock.errors import BadSetting, BadToken
from penstock.workers.form import UserId  # noqa: TC001  a field is read by its annotation

if TYPE_CHECKING:
    from penstock.clock import Clock

__all__ = ["Session", "SessionTokens"]

#: Bytes of a secret at least: what SHA-256 can make use of (RFC 2104 §3).
SHORTEST: Final = 32
#: Seconds that a token holds unless it is said.
LASTS: Final = 12 * 3600.0
#: Characters; a token of ours has some two hundred.
LONGEST: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A user who was let in."""

    user_id: UserId
    #: Seconds since the epoch; the connection is closed then.
    until: float = inf

    @property
    def user(self) -> str:
        """The user as gateways know it: 3 and "3" are one."""
        return str(self.user_id)


class _Claims(msgspec.Struct, frozen=True):
    user_id: UserId
    until: float


class SessionTokens:
    """Issues and checks tokens.

    Args:
        secret: What they are signed with; 32 bytes or more, of chance.
        previous: Secrets that were used before: tokens signed with them still hold.
        clock: What expiry is measured by.
    """

    def __init__(
        self, secret: bytes, *, previous: tuple[bytes, ...] = (), clock: Clock | None = None
    ) -> None:
        if any(len(each) < SHORTEST for each in (secret, *previous)):
            raise BadSetting(f"a secret for session tokens has {SHORTEST} bytes or more", setting="secret")
        self._secrets = (secret, *previous)
        self._clock = clock or SystemClock()

    def issue(self, user_id: UserId, *, lasts: float = LASTS) -> str:
        """A token for a user whom somebody has let in."""
        claims = msgspec.json.encode(_Claims(user_id, self._clock.now() + lasts))
        return f"{_text(claims)}.{_text(_signature(self._secrets[0], claims))}"

    def __call__(self, token: str) -> Session:
        """The session that a token proves.

        Raises:
            BadToken: it proves none.
        """
        claims, signature = _parts(token)
        if not any(hmac.compare_digest(signature, _signature(each, claims)) for each in self._secrets):
            raise BadToken("the token was not signed here, or was changed")
        # Only what we have signed is read.
        found = msgspec.json.decode(claims, type=_Claims)
        if found.until <= self._clock.now():
            raise BadToken("the session is over: log in again")
        return Session(user_id=found.user_id, until=found.until)


def _signature(secret: bytes, claims: bytes) -> bytes:
    return hmac.digest(secret, b"penstock session\0" + claims, "sha256")


def _text(found: bytes) -> str:
    return urlsafe_b64encode(found).rstrip(b"=").decode()


def _parts(token: str) -> tuple[bytes, bytes]:
    claims, dot, signature = token.partition(".")
    try:
        if dot and len(token) <= LONGEST and token.isascii():
            return _bytes(claims), _bytes(signature)
    except binascii.Error:
        pass
    raise BadToken("this is no session token")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
