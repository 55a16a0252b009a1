"""Delivering an activity: posted to another domain's inbox over HTTP, signed with this domain's key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from penstock.did.activities import ACTIVITY_TYPE, Request, sign_request
from penstock.did.http import HttpFetcher
from penstock.did.http.fetching import target_of
from penstock.errors import ActivityRefused

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.credentials import SigningKey

__all__ = ["Delivery"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Posts in a service's name. Calls block; the caller chooses the thread."""

    key: SigningKey
    #: Where others find the public key.
    key_id: str
    clock: Clock
    http: HttpFetcher = field(default_factory=HttpFetcher)

    def deliver(self, inbox: str, body: bytes) -> None:
        """Post an activity, and return when it was taken.

        Raises:
            ActivityRefused: it is not taken there, and never will be.
            Unavailable: nobody takes it now.
        """
        try:
            parts = urlsplit(inbox)
        except ValueError as exc:
            raise ActivityRefused(f"{inbox[:120]!r} is no inbox: {exc}") from exc
        request = Request(method="POST", target=target_of(parts), body=body)
        signed = sign_request(request, self.key, key_id=self.key_id, now=self.clock.now())
        self.http.post(inbox, body, {"Content-Type": ACTIVITY_TYPE, **signed})
