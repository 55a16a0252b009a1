"""The IRIs of a domain's service: itself, its key, its collections and its activities. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from penstock.did.activities.directory import SERVICE_PATH
from penstock.errors import BadActivity
from penstock.sidetree.multihash import hashed

__all__ = ["ACTIVITIES", "MAIN_KEY", "Iris", "service_at"]

ACTIVITIES: Final = "activities"
MAIN_KEY: Final = "main-key"


@dataclass(frozen=True, slots=True)
class Iris:
    """How a domain and its service are called."""

    #: The domain's public URL, without a slash at its end: https://orb.example.com
    base: str

    @property
    def service(self) -> str:
        """The service, as an actor."""
        return f"{self.base}{SERVICE_PATH}"

    @property
    def key(self) -> str:
        """The key that the service's requests are signed with."""
        return f"{self.service}/keys/{MAIN_KEY}"

    def collection(self, name: str) -> str:
        """One of the service's collections."""
        return f"{self.service}/{name}"

    def new_activity(self) -> str:
        """A name for an activity that nothing else is called."""
        return self.activity(uuid4().hex)

    def answer(self, *to: Any) -> str:
        """The name of the one activity that follows from these; the same whenever it is asked for."""
        return self.activity(hashed(list(to)))

    def activity(self, name: str) -> str:
        """An activity of the service."""
        return f"{self.service}/{ACTIVITIES}/{name}"


def service_at(url: str) -> str:
    """The service that a URL means: a bare domain's is where Orb has it. A did:web names a service itself.

    Raises:
        BadActivity: it is no URL of a domain.
    """
    if url.startswith("did:web:"):
        return url
    try:
        parts = urlsplit(url)
    except ValueError as exc:
        raise BadActivity("service", f"{url[:120]!r} is no URL: {exc}") from exc
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise BadActivity("service", f"{url[:120]!r} is not a URL like https://orb.example.com")
    return url if parts.path.strip("/") else f"{parts.scheme}://{parts.netloc}{SERVICE_PATH}"
