"""What a holder wants changed in a document, as patches. Pure.

What goes, goes first: a key that is removed and added is a new one under the same name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DEFAULT_PURPOSES", "Changes", "DocumentKey"]

DEFAULT_PURPOSES: Final = ("authentication", "assertionMethod")
KEY_TYPE: Final = "JsonWebKey2020"

#: What a document in Sidetree's own form is made of, and what adds it.
PARTS: Final = {
    "publicKeys": ("add-public-keys", "publicKeys"),
    "services": ("add-services", "services"),
    "alsoKnownAs": ("add-also-known-as", "uris"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKey:
    """A key that is to stand in the document."""

    id: str
    public: Mapping[str, str]
    purposes: Sequence[str] = DEFAULT_PURPOSES
    #: The whole key, if the wallet is to keep it.
    private: Mapping[str, str] | None = field(default=None, repr=False)

    def entry(self) -> dict[str, Any]:
        """As a document lists it."""
        purposes = {"purposes": list(self.purposes)} if self.purposes else {}
        return {"id": self.id, "type": KEY_TYPE, "publicKeyJwk": dict(self.public), **purposes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to be added and removed."""

    keys: Sequence[DocumentKey] = ()
    services: Sequence[Mapping[str, Any]] = ()
    also_known_as: Sequence[str] = ()
    remove_keys: Sequence[str] = ()
    remove_services: Sequence[str] = ()
    remove_also_known_as: Sequence[str] = ()
    #: A document whose parts are added: publicKeys, services, alsoKnownAs.
    document: Mapping[str, Any] = field(default_factory=dict)
    #: Patches as they are, after all others.
    patches: Sequence[Any] = ()

    def __bool__(self) -> bool:
        """Whether anything is to be changed."""
        return bool(self.all_patches())

    def all_patches(self) -> list[Any]:
        """The patches, in the order they are applied in.

        Raises:
            BadPatch: the document has a part that no document has.
        """
        if unknown := set(self.document) - PARTS.keys():
            raise BadPatch(f"a document is made of {', '.join(PARTS)}; {min(unknown)!r} is none of these")
        made = [
            ("remove-public-keys", "ids", list(self.remove_keys)),
            ("remove-services", "ids", list(self.remove_services)),
            ("remove-also-known-as", "uris", list(self.remove_also_known_as)),
            *((*PARTS[name], part) for name, part in self.document.items()),
            ("add-public-keys", "publicKeys", [key.entry() for key in self.keys]),
            ("add-services", "services", [dict(each) for each in self.services]),
            ("add-also-known-as", "uris", list(self.also_known_as)),
        ]
        return [{"action": name, member: value} for name, member, value in made if value] + list(self.patches)

    def private_keys(self) -> dict[str, dict[str, str]]:
        """The keys that the wallet is to keep, by their ids."""
        return {key.id: dict(key.private) for key in self.keys if key.private is not None}
