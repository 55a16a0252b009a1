"""Request: what was asked for, taken apart: verb, path, query, body. Knows nothing of sockets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from penstock.server.http.replies import HttpFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    import h11

__all__ = ["Request"]

_NAMES: Final = {int: "a whole number", float: "a number", str: "a text", list: "a list"}


@dataclass(slots=True, kw_only=True)
class Request:
    """One request; its body comes later than the rest."""

    verb: str
    #: The parts of the path, decoded: a part may hold a slash.
    path: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, head: h11.Request) -> Request:
        """A request's head, read.

        Raises:
            HttpFault: 400, its target is no path.
        """
        try:
            target = urlsplit(head.target.decode("ascii"))
            query = dict(parse_qsl(target.query, keep_blank_values=True, max_num_fields=16))
            path = tuple(unquote(part, errors="strict") for part in target.path.split("/")[1:])
        except ValueError as exc:
            raise HttpFault(400, "the request's target cannot be read: a path in ASCII and UTF-8") from exc
        headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
        return cls(verb=head.method.decode(), path=path, query=query, headers=headers)

    @property
    def says_size(self) -> int:
        """How long the body is to be, 0 if nobody says."""
        size = self.headers.get("content-length", "0")
        return int(size) if size.isdecimal() else 0

    def number(self, name: str) -> int:
        """A number of the query.

        Raises:
            HttpFault: 400, it is missing, or none.
        """
        text = self.query.get(name, "")
        if not (text.isascii() and text.isdecimal()) or len(text) > len(str(2**63)):
            raise HttpFault(400, f"the query names {name} as a whole number, such as ?{name}=100")
        return int(text)

    def said(self, unsaid: Mapping[str, Any] = MappingProxyType({}), **fields: type) -> list[Any]:
        """The fields of the JSON object in the body, each of its type, none below zero.

        Args:
            unsaid: What fields are that may be missing.

        Raises:
            HttpFault: 400, it is no object, or a field is missing or of another type.
        """
        try:
            found = json.loads(self.body or b"{}")
        except ValueError as exc:
            raise HttpFault(400, f"the body is no JSON: {exc}") from exc
        if not isinstance(found, dict):
            raise HttpFault(400, "the body is a JSON object")
        return [_field({**unsaid, **found}, name, kind) for name, kind in fields.items()]


def _field(found: dict[str, Any], name: str, kind: type) -> Any:
    value = found.get(name)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise HttpFault(400, f"the body names {name}, {_NAMES[kind]}")
    if isinstance(value, int | float) and not 0 <= value < 2**63:
        raise HttpFault(400, f"{name} is from 0 to 2⁶³, not {value}")
    return value
