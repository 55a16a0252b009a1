"""A domain over HTTP, as its clients see it: operations are posted, DIDs are resolved."""

from __future__ import annotations

import http.client
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from penstock.did.activities.directory import (
    CAS,
    DID_TYPE,
    OPERATIONS,
    RESOLUTION,
    SERVICE_PATH,
    SERVICE_TYPE,
)
from penstock.did.http.statuses import OK, is_passing
from penstock.did.unreadable import UNREADABLE
from penstock.errors import BadSetting, OperationRefused, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

__all__ = ["RemoteDomain"]

#: Bytes of an answer that are read.
LIMIT: Final = 4 * 1024 * 1024
NOT_FOUND: Final = 404


@dataclass(frozen=True, slots=True)
class RemoteDomain:
    """The domain at a URL."""

    url: str
    #: Seconds for each step of a request.
    timeout: float = 30.0

    def __post_init__(self) -> None:
        self._parts()

    def post(self, request: bytes) -> None:
        """Post an operation, and return when the domain has it for certain.

        Raises:
            OperationRefused: it does not take it, and why.
            Unavailable: nobody can tell; it may be posted again.
        """
        status, body = self._ask("POST", OPERATIONS, request, {"Content-Type": "application/json"})
        if status != OK:
            raise OperationRefused(f"{self.url} does not take it: {_reason(status, body)}", status=status)

    def resolve(
        self, did: str, *, version: str | None = None, until: str | None = None
    ) -> dict[str, Any] | None:
        """The resolution result of a DID; None if the domain does not know it, or that version of it.

        Args:
            did: In any of its forms.
            version: The versionId of the version that is asked for.
            until: The time of it, as RFC 3339 writes times.

        Raises:
            OperationRefused: the question cannot be answered, and why.
            Unavailable: nobody answers now.
        """
        asked = {"versionId": version, "versionTime": until}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        path = f"{RESOLUTION}/{quote(did, safe=':')}{'?' if query else ''}{query}"
        status, body = self._ask("GET", path, None, {"Accept": DID_TYPE})
        if status == NOT_FOUND:
            return None
        if status != OK:
            raise OperationRefused(f"{self.url} does not resolve it: {_reason(status, body)}", status=status)
        return _object(self.url, body)

    def origin(self) -> str:
        """Who anchors what is posted here: the IRI of the domain's service.

        Raises:
            OperationRefused: it does not tell.
            Unavailable: nobody answers now.
        """
        status, body = self._ask("GET", SERVICE_PATH, None, {"Accept": SERVICE_TYPE})
        name = _object(self.url, body).get("id") if status == OK else None
        if not isinstance(name, str) or not name:
            raise OperationRefused(
                f"{self.url} does not tell who anchors its DIDs ({status}): is it a DID domain? "
                "--origin may say it instead",
                status=status,
            )
        return name

    def content(self, name: str) -> bytes | None:
        """What the domain has stored under a hash; None if it has nothing. Whoever trusts it checks it.

        Raises:
            Unavailable: nobody answers now.
        """
        status, body = self._ask("GET", f"{CAS}/{quote(name)}", None, {})
        return body if status == OK else None

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        parts = self._parts()
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        try:
            with closing(kind(parts.hostname or "", parts.port, timeout=self.timeout)) as connection:
                connection.request(method, parts.path.rstrip("/") + path, body=body, headers=dict(headers))
                answer = connection.getresponse()
                status, found = answer.status, answer.read(LIMIT)
        except (OSError, http.client.HTTPException) as exc:
            hint = "is a domain running there? `penstock did up` starts one"
            raise Unavailable(
                f"{self.url} does not answer: {str(exc) or type(exc).__name__}; {hint}"
            ) from exc
        if is_passing(status):
            raise Unavailable(f"{self.url} cannot do it now: {_reason(status, found)}")
        return status, found

    def _parts(self) -> SplitResult:
        try:
            parts = urlsplit(self.url)
            # As a request will have them: not every text is a name, or a path.
            host = (parts.hostname or "").encode("idna")
            is_whole = parts.scheme in {"http", "https"} and bool(host) and parts.port != 0
            is_whole = is_whole and parts.path.isascii()
        except ValueError:
            is_whole = False
        if not is_whole:
            raise BadSetting(f"{self.url!r} is no URL of a domain: http://host:port", setting="url")
        return parts


def _reason(status: int, body: bytes) -> str:
    try:
        told = msgspec.json.decode(body)
    except UNREADABLE:
        told = None
    reason = told.get("reason") if isinstance(told, dict) else None
    return (
        f"{reason} ({status})" if reason else f"it answers {status} {http.client.responses.get(status, '')}"
    )


def _object(url: str, body: bytes) -> dict[str, Any]:
    try:
        told = msgspec.json.decode(body)
    except UNREADABLE as exc:
        raise OperationRefused(f"{url} answers something that is no JSON: {exc}", status=OK) from exc
    if not isinstance(told, dict):
        raise OperationRefused(f"{url} answers something that is no object", status=OK)
    return told
