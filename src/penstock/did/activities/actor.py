"""A domain's service as others see it: its key, and where its inbox and its collections are. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import names
from penstock.did.activities.names import ACTIVITY_ANCHORS, ACTIVITY_STREAMS, SECURITY
from penstock.did.activities.reading import Reader
from penstock.did.credentials.keys import PublicKey
from penstock.errors import BadActivity, BadHttpSignature, BadKey

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COLLECTIONS", "Actor", "KeyDocument", "owner_of", "service"]

#: What a service has, each at a path of its name.
COLLECTIONS: Final = (
    "inbox",
    "outbox",
    "followers",
    "following",
    "witnesses",
    "witnessing",
    "likes",
    "liked",
    "shares",
)


#: The rule that a key of a kind which is not known here breaks.
UNREADABLE: Final = "publicKeyPem"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDocument:
    """A public key, and whose it is."""

    name: str
    owner: str
    key: PublicKey

    @classmethod
    def of(cls, reader: Reader) -> KeyDocument:
        """Read one.

        Raises:
            BadActivity: it is none, or of a kind that is not known.
        """
        try:
            key = PublicKey.from_pem(reader.text("publicKeyPem"))
        except BadKey as exc:
            raise BadActivity(UNREADABLE, f"{reader.what} has no key that can be read: {exc}") from exc
        return cls(name=reader.text("id"), owner=reader.text("owner"), key=key)

    @classmethod
    def parse(cls, data: bytes) -> KeyDocument:
        """Read one that was fetched by its name."""
        return cls.of(Reader.of(data, "a public key"))

    def document(self) -> dict[str, str]:
        """As it is shown."""
        return {"id": self.name, "owner": self.owner, "publicKeyPem": self.key.pem}


def service(name: str, key: KeyDocument, *, at: str = "") -> dict[str, Any]:
    """A domain's own service.

    Args:
        name: Its IRI: a URL, or a DID.
        key: What its requests are checked with.
        at: The URL under which its collections are; the IRI, if that is one.
    """
    return {
        "@context": [ACTIVITY_STREAMS, SECURITY, ACTIVITY_ANCHORS],
        "id": name,
        "type": names.SERVICE,
        "publicKey": key.document(),
        **{collection: f"{at or name}/{collection}" for collection in COLLECTIONS},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Another domain's service."""

    name: str
    #: The IRI of its key, and the key if it stands there and is of a kind that is known. Whoever has one of
    #: another kind can be told things all the same; what it signs is refused when its key is fetched.
    key_name: str
    key: KeyDocument | None
    #: Where its inbox and its collections are, as far as it says.
    places: Mapping[str, str]

    @classmethod
    def parse(cls, data: bytes) -> Actor:
        """Read one.

        Raises:
            BadActivity: it is none, or has no inbox or no key.
        """
        reader = Reader.of(data, "a service")
        if names.SERVICE not in reader.texts("type"):
            raise BadActivity("type", f"a service is of the type {names.SERVICE}")
        places = {name: reader.iri(name, "") for name in COLLECTIONS}
        if not places["inbox"]:
            raise BadActivity("no-inbox", "a service has no inbox")
        return cls(
            name=reader.text("id"),
            key_name=reader.iri("publicKey"),
            key=_shown(reader),
            places={name: place for name, place in places.items() if place},
        )


def _shown(reader: Reader) -> KeyDocument | None:
    if not isinstance(reader.value("publicKey"), dict):
        return None
    try:
        return KeyDocument.of(reader.reader("publicKey"))
    except BadActivity as exc:
        if exc.rule != UNREADABLE:
            raise
        return None


def owner_of(key: KeyDocument, actor: Actor) -> str:
    """Who has signed with a key: its owner, if the owner says so, too.

    Raises:
        BadHttpSignature: anybody may say of a key that another owns it.
    """
    if actor.name != key.owner or actor.key_name != key.name:
        raise BadHttpSignature(
            "owner", f"{key.owner[:120]!r} does not say that {key.name[:120]!r} is its key"
        )
    return actor.name
