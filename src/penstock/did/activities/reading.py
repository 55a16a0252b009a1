"""Reading JSON that others wrote: each member is asked for by its kind, and whatever does not fit is named.

JSON-LD lets one value stand for a list of one, and an object for the IRI that is its name; that is allowed
for here, once. A text has no U+0000: JSON can write it, and PostgreSQL can keep no text with it. Pure.
"""

from __future__ import annotations

from typing import Any, Final, TypeGuard

from penstock.did.instants import from_rfc_3339
from penstock.did.sparse import parse_sparse
from penstock.errors import BadActivity, MalformedJson

__all__ = ["Reader"]

#: Stands for "there is no default: the member must be there".
DEMANDED: Final[Any] = object()


class Reader:
    """A JSON object, and what it is called in errors."""

    __slots__ = ("document", "what")

    def __init__(self, document: Any, what: str) -> None:
        if not isinstance(document, dict):
            raise BadActivity("shape", f"{what} is no JSON object")
        self.document: dict[str, Any] = document
        self.what = what

    @classmethod
    def of(cls, data: bytes, what: str) -> Reader:
        """Of bytes.

        Raises:
            BadActivity: they are no JSON object.
        """
        try:
            return cls(parse_sparse(data), what)
        except MalformedJson as exc:
            raise BadActivity("json", f"{what} cannot be read: {exc}") from exc

    def value(self, name: str, default: Any = DEMANDED) -> Any:
        """Whatever is there; null counts as missing."""
        found = self.document.get(name)
        if found is not None:
            return found
        if default is DEMANDED:
            raise BadActivity(f"no-{name}", f"{self.what} has no {name}")
        return default

    def text(self, name: str, default: Any = DEMANDED) -> str:
        """A text that says something."""
        found = self.value(name, default)
        if not _is_text(found) or (not found and default is DEMANDED):
            raise self._bad(name, "a text")
        return found

    def texts(self, name: str, default: Any = DEMANDED) -> tuple[str, ...]:
        """Texts; one may stand for a list of one."""
        found = self.value(name, default)
        listed = [found] if isinstance(found, str) else found
        if not isinstance(listed, list | tuple) or not all(map(_is_text, listed)):
            raise self._bad(name, "a text or a list of texts")
        return tuple(listed)

    def iri(self, name: str, default: Any = DEMANDED) -> str:
        """An IRI, or the `id` of an object that stands in its place."""
        found = self.value(name, default)
        if isinstance(found, dict):
            found = found.get("id")
        if not _is_text(found):
            raise self._bad(name, "an IRI")
        return found

    def whole(self, name: str, default: Any = DEMANDED) -> int:
        """A whole number that is not negative."""
        found = self.value(name, default)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            raise self._bad(name, "a whole number")
        return found

    def instant(self, name: str, default: Any = DEMANDED) -> float | Any:
        """Seconds since the epoch, of a text as RFC 3339 has them."""
        found = self.value(name, default)
        if found is default and default is not DEMANDED:
            return default
        try:
            return from_rfc_3339(found)
        except ValueError as exc:
            raise self._bad(name, "an instant") from exc

    def mapping(self, name: str, default: Any = DEMANDED) -> dict[str, Any]:
        """An object, as it is."""
        found = self.value(name, default)
        if not isinstance(found, dict):
            raise self._bad(name, "an object")
        return found

    def reader(self, name: str) -> Reader:
        """An object, to read on."""
        return Reader(self.value(name), f"{name} of {self.what}")

    def readers(self, name: str) -> list[Reader]:
        """Objects, to read on; none if there is no such member, and one may stand for a list of one."""
        found = self.value(name, [])
        listed = found if isinstance(found, list) else [found]
        return [Reader(each, f"{name} of {self.what}") for each in listed]

    def _bad(self, name: str, kind: str) -> BadActivity:
        return BadActivity(f"bad-{name}", f"{name} of {self.what} is not {kind}")


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and "\0" not in value
