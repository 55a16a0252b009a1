"""An activity: somebody tells others that it did something (ActivityStreams 2.0).

What all kinds have in common; what the kinds say beside stands in files of their own. An activity is a
JSON object and stays as it was received: it is stored, and told to others. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import names
from penstock.did.activities.names import ACTIVITY_STREAMS
from penstock.did.activities.reading import Reader
from penstock.did.instants import rfc_3339
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LONGEST_NAME", "TYPES", "Activity", "activity"]

#: Letters of an activity's name, and of its actor's: it is kept by these, and shown by them if it is large.
LONGEST_NAME: Final = 512

#: Those that domains know.
TYPES: Final = (
    names.CREATE,
    names.ANNOUNCE,
    names.OFFER,
    names.ACCEPT,
    names.REJECT,
    names.FOLLOW,
    names.INVITE,
    names.LIKE,
    names.UNDO,
)


def activity(
    kind: str,
    *,
    name: str,
    actor: str,
    to: Sequence[str],
    about: Any,
    at: float | None = None,
    contexts: Sequence[str] = (ACTIVITY_STREAMS,),
    **more: Any,
) -> dict[str, Any]:
    """An activity, to be posted.

    Args:
        kind: Its type.
        name: Its own IRI.
        actor: Whose it is.
        to: IRIs of services, or of collections of them.
        about: Its object: an IRI, or JSON.
        at: When it was published, if it says.
        contexts: What its words are explained by.
        more: What only this kind has; None is left out.
    """
    said: dict[str, Any] = {
        "@context": contexts[0] if len(contexts) == 1 else list(contexts),
        "id": name,
        "type": kind,
        "actor": actor,
        "to": list(to),
        "object": about,
        "published": None if at is None else rfc_3339(at),
        **more,
    }
    return {member: value for member, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What every activity says."""

    name: str
    type: str
    actor: str
    to: tuple[str, ...]
    reader: Reader

    @classmethod
    def parse(cls, data: bytes) -> Activity:
        """Read one as it was posted.

        Raises:
            BadActivity: it is none, or of a kind that is not known; `rule` says why.
        """
        return cls.of(Reader.of(data, "an activity"))

    @classmethod
    def read(cls, document: Any, what: str = "an activity") -> Activity:
        """The same of JSON, wherever it stands."""
        return cls.of(Reader(document, what))

    @classmethod
    def of(cls, reader: Reader) -> Activity:
        """The same of what is being read."""
        kinds = [kind for kind in reader.texts("type") if kind in TYPES]
        if len(kinds) != 1:
            raise BadActivity("type", f"{reader.what} is of no type that is known, or of more than one")
        name, actor = reader.text("id"), reader.iri("actor")
        for rule, told in (("id", name), ("actor", actor)):
            if len(told) > LONGEST_NAME:
                raise BadActivity(rule, f"{told[:120]!r} is longer than {LONGEST_NAME} letters")
        return cls(
            name=name,
            type=kinds[0],
            actor=actor,
            to=reader.texts("to", ()),
            reader=reader,
        )

    def demand(self, *kinds: str) -> None:
        """See that it is of one of these types.

        Raises:
            BadActivity: it is not.
        """
        if self.type not in kinds:
            raise BadActivity(
                "type", f"{self.reader.what} is {self.type}, where {' or '.join(kinds)} is meant"
            )

    @property
    def inner(self) -> Activity:
        """The activity that it is about: what is accepted, rejected or undone.

        Raises:
            BadActivity: it is about none.
        """
        return Activity.of(self.reader.reader("object"))

    @property
    def document(self) -> Mapping[str, Any]:
        """As received."""
        return self.reader.document
