"""HTTP signatures between domains (draft-cavage-http-signatures, as Orb uses it), both ways.

A request is signed over its method and path, its date and, if it has a body, the body's digest. `Host` is
not among them: Orb cannot check it. So that nobody repeats a request later its date must be of now, give
or take the clocks.

Pure: `now` and the way to keys are arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from penstock.did.activities.digest import check_digest, digest_of_body
from penstock.did.activities.signature_header import SignatureHeader
from penstock.did.credentials.keys import ED25519, P_256
from penstock.errors import BadHttpSignature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.did.credentials.keys import PublicKey, SigningKey

__all__ = ["Request", "sign_request", "verify_request"]

TARGET: Final = "(request-target)"
CREATED: Final = "(created)"
EXPIRES: Final = "(expires)"
DATE: Final = "date"
DIGEST: Final = "digest"

#: RFC 9110 §5.6.7; the older forms are not sent by any domain.
FIXDATE: Final = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")

#: What Orb calls whatever its key signs with; it takes no other word.
ORBS: Final = "Sign"
#: Which kinds of key each algorithm's name allows; "" is no name.
ALGORITHMS: Final = {
    "": {ED25519, P_256},
    ORBS.lower(): {ED25519, P_256},
    "hs2019": {ED25519, P_256},
    "ed25519": {ED25519},
    "ecdsa-sha256": {P_256},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request, as far as its signature goes."""

    method: str
    #: Path and query, as they are in the request line.
    target: str
    #: As received: a name may stand twice, in whatever letters.
    headers: Sequence[tuple[str, str]] = field(default_factory=tuple)
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Its values, joined as §2.3 has it; None if there is none."""
        found = [value.strip() for key, value in self.headers if key.lower() == name]
        return ", ".join(found) if found else None

    @property
    def demanded(self) -> tuple[str, ...]:
        """What a signature of it must cover."""
        return (TARGET, DATE, DIGEST) if self.body else (TARGET, DATE)


def sign_request(request: Request, key: SigningKey, *, key_id: str, now: float) -> dict[str, str]:
    """The headers to add to a request.

    Args:
        request: Without Date, Digest and Signature.
        key: The sender's.
        key_id: Where others find the public key.
        now: The date that it will bear.
    """
    added = {"Date": format_datetime(datetime.fromtimestamp(int(now), UTC), usegmt=True)}
    if request.body:
        added["Digest"] = digest_of_body(request.body)
    signed = Request(
        method=request.method, target=request.target, headers=tuple(added.items()), body=request.body
    )
    text = _signed_text(signed, SignatureHeader(key_id=key_id, signature=b"", headers=request.demanded))
    header = SignatureHeader(key_id=key_id, signature=key.sign(text), headers=request.demanded)
    return {**added, "Signature": header.text(shown=ORBS)}


def verify_request(request: Request, key_for: Callable[[str], PublicKey], *, now: float, skew: float) -> str:
    """Who signed a request: the key's IRI.

    Args:
        request: As received.
        key_for: Gives the key of an IRI; what it raises passes through.
        now: The time.
        skew: Seconds by which clocks may differ.

    Raises:
        BadHttpSignature: it is not signed, not by that key, not now, or not all of it; `rule` says which.
    """
    said = request.header("signature")
    if said is None:
        raise BadHttpSignature("unsigned", "the request is not signed: it has no Signature header")
    header = SignatureHeader.parse(said)
    if header.algorithm not in ALGORITHMS:
        raise BadHttpSignature("algorithm", f"signatures of {header.algorithm[:60]!r} cannot be checked here")
    missing = [name for name in request.demanded if name not in header.headers]
    if missing:
        raise BadHttpSignature("headers", f"the signature does not cover {', '.join(missing)}")
    _check_times(request, header, now, skew)
    if DIGEST in header.headers:
        check_digest(request.header(DIGEST) or "", request.body)
    text = _signed_text(request, header)
    key = key_for(header.key_id)
    if key.kind not in ALGORITHMS[header.algorithm]:
        raise BadHttpSignature("algorithm", f"{header.algorithm} does not sign with a key of {key.kind}")
    if not key.verify(text, header.signature):
        raise BadHttpSignature("signature", f"the request was not signed by {header.key_id[:120]!r}")
    return header.key_id


def _signed_text(request: Request, header: SignatureHeader) -> bytes:
    """What is signed: a line for each header (§2.3)."""
    own = {
        TARGET: f"{request.method.lower()} {request.target}",
        CREATED: header.created or None,
        EXPIRES: header.expires or None,
    }
    lines = []
    for name in header.headers:
        value = own[name] if name in own else request.header(name)
        if value is None:
            raise BadHttpSignature("headers", f"the signature covers {name[:60]!r}, which is not there")
        lines.append(f"{name}: {value}")
    return "\n".join(lines).encode("latin-1", "replace")


def _check_times(request: Request, header: SignatureHeader, now: float, skew: float) -> None:
    dated = _seconds(request.header(DATE))
    if abs(dated - now) > skew:
        raise BadHttpSignature(
            "date", f"the request is dated {dated - now:+.0f} s from now, {skew:g} s are allowed"
        )
    if header.created and float(header.created) > now + skew:
        raise BadHttpSignature("date", "the signature was made in the future")
    if header.expires and float(header.expires) < now - skew:
        raise BadHttpSignature("date", "the signature has expired")


def _seconds(date: str | None) -> float:
    if date is None or not FIXDATE.fullmatch(date):
        raise BadHttpSignature("date", f"the request has no Date as HTTP has it: {str(date)[:60]!r}")
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError as exc:
        raise BadHttpSignature("date", f"the request is of no day that there is: {date!r}") from exc
