"""The management API as commands ask it: RabbitMQ's own, which a Penstock broker's panel answers as well.

One connection, one question at a time. What our own brokers can tell beyond RabbitMQ stands beneath
/api/penstock, where RabbitMQ answers with one error or another: ask `is_penstock` first.
"""

from __future__ import annotations

import http.client
import json
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from penstock.client import BrokerUrl
from penstock.client.web import path_of
from penstock.errors import BadSetting, BrokerRefused, ManagementMissing, NotPermitted, TopologyError
from penstock.messaging.topology.management import Management

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["HERE", "VARIABLE", "ManagementApi", "asked"]

#: Where it is unless somebody says otherwise, and the environment's word for it.
HERE: Final = "http://guest:guest@localhost:15672"
VARIABLE: Final = "PENSTOCK_MANAGEMENT"
#: Who comes if the URL names nobody.
_GUEST: Final = BrokerUrl.parse("amqp://guest:guest@localhost/")
_AMQP_PORT: Final = 5672
_FORBIDDEN: Final = 403
_MISSING: Final = 404
#: A kept connection that the server has closed meanwhile: the question was not read.
_GONE: Final = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)


class ManagementApi:
    """A broker as its management API shows it."""

    def __init__(self, url: str) -> None:
        """Nothing is opened before the first question.

        Raises:
            BadSetting: it is no URL of such an API.
        """
        try:
            self.place = Management.parse(url, _GUEST)
        except TopologyError as exc:
            raise BadSetting(str(exc), setting="management") from exc
        self._line = self.place.connect()

    def __repr__(self) -> str:
        return f"<ManagementApi {self.place}>"

    def close(self) -> None:
        """Hang up; another question opens a connection again."""
        self._line.close()

    # Questions; names are parts of the path, and may hold anything

    def get(self, *names: str, **query: Any) -> Any:
        """What is there.

        Raises:
            BrokerRefused: there is no such thing, or it cannot be asked like that; with HTTP's status.
            NotPermitted: this user may not.
            ManagementMissing: nobody answers.
        """
        return self._ask("GET", names, query=query)

    def maybe(self, *names: str, **query: Any) -> Any:
        """The same, or None where there is no such thing."""
        try:
            return self.get(*names, **query)
        except BrokerRefused as exc:
            if exc.code == _MISSING:
                return None
            raise

    def put(self, *names: str, body: Mapping[str, Any]) -> Any:
        """Have it be so."""
        return self._ask("PUT", names, body=body)

    def post(self, *names: str, body: Mapping[str, Any]) -> Any:
        """Have something done."""
        return self._ask("POST", names, body=body)

    def delete(self, *names: str, **query: Any) -> None:
        """Have it be no more."""
        self._ask("DELETE", names, query=query)

    @cached_property
    def overview(self) -> Mapping[str, Any]:
        """What the broker says of itself, once."""
        found: dict[str, Any] = self.get("overview")
        return found

    @property
    def is_penstock(self) -> bool:
        """Whether it can tell what RabbitMQ cannot."""
        return self.overview.get("product_name") == "Penstock"

    def broker_url(self, vhost: str) -> str:
        """Where the same broker speaks AMQP, as far as it tells; the user is the same, too."""
        found = self.overview
        ports = [each["port"] for each in found.get("listeners", ()) if each.get("protocol") == "amqp"]
        user, password = quote(self.place.user, safe=""), quote(self.place.password, safe="")
        host = f"[{self.place.host}]" if ":" in self.place.host else self.place.host
        port = ports[0] if ports else _AMQP_PORT
        return f"amqp://{user}:{password}@{host}:{port}/{quote(vhost, safe='')}"

    # How

    def _ask(
        self,
        verb: str,
        names: tuple[str, ...],
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        path = f"{self.place.path}{path_of('api', *names)}"
        if query:
            path += f"?{urlencode(query)}"
        try:
            status, told = self._exchange(verb, path, None if body is None else json.dumps(body).encode())
            answer = json.loads(told) if told else None
        except (OSError, http.client.HTTPException, ValueError) as exc:
            self._line.close()
            hint = "is a broker with a panel running there? `penstock up` starts one"
            raise ManagementMissing(
                f"no management API answers at {self.place}: {str(exc) or type(exc).__name__}; {hint}"
            ) from exc
        if status >= http.client.BAD_REQUEST:
            raise self._refusal(status, answer, names)
        return answer

    def _exchange(self, verb: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        """One question and its answer; a second time if the kept connection turns out to be closed."""
        # Whatever kind: RabbitMQ will not purge a queue for one who insists on JSON.
        headers = self.place.headers | {"Accept": "*/*"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if verb == "POST":
            # Nothing may be done twice because a kept connection went in the middle.
            self._line.close()
        is_kept = self._line.sock is not None
        try:
            self._line.request(verb, path, body, headers)
            answer = self._line.getresponse()
        except _GONE:
            self._line.close()
            if not is_kept:
                raise
            return self._exchange(verb, path, body)
        return answer.status, answer.read()

    def _refusal(self, status: int, answer: Any, names: tuple[str, ...]) -> Exception:
        reason = answer.get("reason") if isinstance(answer, dict) else None
        about = " ".join(names)
        if status == http.client.UNAUTHORIZED:
            return NotPermitted(f"{self.place} does not let {self.place.user!r} in: {reason or status}")
        if status == _FORBIDDEN:
            return NotPermitted(f"user {self.place.user!r} may not do that: {reason or about}")
        if status == _MISSING:
            return BrokerRefused(f"{self.place} has no {about}", code=status)
        return BrokerRefused(f"{self.place} refuses it ({about}): {reason or status}", code=status)


@contextmanager
def asked(url: str) -> Iterator[ManagementApi]:
    """The management API at a URL, for as long as the block lasts.

    Raises:
        BadSetting: it is no such URL.
    """
    api = ManagementApi(url)
    try:
        yield api
    finally:
        api.close()
