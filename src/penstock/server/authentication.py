"""Whether a peer is who it claims to be.

The claim was read by penstock.wire.amqp.sasl; here it is judged by users, certificates, the peer's
address and its failures so far. The peer is told that it was refused, the log why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from penstock.server.certificates import maybe_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.server.failed_logins import FailedLogins
    from penstock.server.users import User, Users
    from penstock.settings import Settings
    from penstock.wire.amqp import Claim

__all__ = ["Authenticator", "Peer", "Verdict"]

ELSEWHERE: Final = "this user can only log in from the broker's own machine (see the setting loopback_users)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What is known of a peer before it says anything."""

    #: As the socket tells it; empty for a Unix socket.
    address: str
    is_tls: bool = False
    #: What `SSLObject.getpeercert()` gave: checked against the client authorities, or empty.
    certificate: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        if not self.address:
            return True
        try:
            parsed = ip_address(self.address.partition("%")[0])
        except ValueError:
            return False
        mapped = getattr(parsed, "ipv4_mapped", None)
        return bool((mapped or parsed).is_loopback)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The user, or None and why not."""

    user: User | None
    #: What the peer is told: nothing that helps it guess.
    reason: str = ""
    #: What the log is told.
    detail: str = ""


class Authenticator:
    """Judges claims.

    Call `maybe_judge` first, on the event loop; where it says None, `judge` in a thread.
    """

    __slots__ = ("_failed", "_login_from", "_loopback_users", "_takes_certificates", "_users")

    def __init__(self, users: Users, settings: Settings, failed: FailedLogins) -> None:
        self._users = users
        self._failed = failed
        self._loopback_users = frozenset(settings.loopback_users)
        self._login_from = settings.amqps_login_from
        self._takes_certificates = settings.amqps_client_ca is not None

    def mechanisms(self, peer: Peer) -> tuple[str, ...]:
        """What to offer a peer, in RabbitMQ's order; EXTERNAL where a certificate could be shown."""
        external = ("EXTERNAL",) if peer.is_tls and self._takes_certificates else ()
        return ("PLAIN", "AMQPLAIN", *external)

    def maybe_judge(self, claim: Claim, peer: Peer, now: float) -> Verdict | None:
        """The verdict, if it takes no hashing; else None. Fast.

        A password proved before is let in even from an address that failed too often: it is no guess.
        """
        if claim.mechanism == "EXTERNAL":
            return self._judge_certificate(claim, peer, now)
        if claim.username is None or not claim.password:
            return self._refused(claim, peer, now, "no user name or an empty password")
        if self._is_elsewhere(claim.username, peer):
            # Before the password is looked at: how long that takes would tell whether it is right.
            return self._refused(claim, peer, now, ELSEWHERE)
        user = self._users.remembered(claim.username, claim.password)
        if user is not None:
            return Verdict(user=user)
        if self.is_slowed(peer, now):
            return self._refused(claim, peer, now, "too many failed logins from its address")
        return None

    def is_slowed(self, peer: Peer, now: float) -> bool:
        """Whether a peer's address has failed too often, so that no guess of its is looked at."""
        return self._failed.is_over(peer.address, now)

    def judge(self, claim: Claim, peer: Peer, now: float) -> Verdict:
        """The verdict. Slow, and as slow for users there are not."""
        verdict = self.maybe_judge(claim, peer, now)
        if verdict is not None:
            return verdict
        user = self._users.proved(claim.username or "", claim.password or "")
        if user is None:
            return self._refused(claim, peer, now, "invalid credentials")
        return Verdict(user=user)

    def _judge_certificate(self, claim: Claim, peer: Peer, now: float) -> Verdict:
        name = maybe_name(peer.certificate, self._login_from) if self._takes_certificates else None
        if name is None:
            return self._refused(claim, peer, now, "no client certificate that names somebody")
        if name not in self._users:
            return self._refused(claim, peer, now, f"its certificate names {name!r}, who is no user")
        if self._is_elsewhere(name, peer):
            return self._refused(claim, peer, now, ELSEWHERE)
        return Verdict(user=self._users.get(name))

    def _is_elsewhere(self, name: str, peer: Peer) -> bool:
        return name in self._loopback_users and not peer.is_local

    def _refused(self, claim: Claim, peer: Peer, now: float, detail: str) -> Verdict:
        self._failed.add(peer.address, now)
        # RabbitMQ's words (rabbit_reader.erl, auth_fail); some clients match on them.
        reason = (
            f"Login was refused using authentication mechanism {claim.mechanism}. "
            "For details see the broker logfile."
        )
        who = f"user {claim.username!r}" if claim.username else "somebody"
        return Verdict(user=None, reason=reason, detail=f"{who} from {peer.address or 'here'}: {detail}")
