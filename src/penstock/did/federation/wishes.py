"""What an operator asks for by an activity posted in the outbox: a Follow, an Invite, or the Undo of one.

Only what is wished for is read of it. The activity that is sent is one of this domain's own making. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.did.activities import Activity, asked, names
from penstock.did.activities.reading import Reader
from penstock.did.federation.iris import service_at
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from penstock.did.federation.iris import Iris

__all__ = ["Wish", "read_wish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be asked for, or taken back."""

    #: FOLLOW, INVITE or UNDO.
    type: str
    #: What the activity is to be called. The name of an Undo follows from what is undone.
    name: str
    #: The service that is asked; the name of the activity that is undone.
    target: str


def read_wish(data: bytes, iris: Iris) -> Wish:
    """Read one as it was posted.

    Raises:
        BadActivity: it is none, or not this service's; `rule` says why.
    """
    reader = Reader.of(data, "an activity")
    told = Activity.of(Reader({"id": iris.new_activity(), **reader.document}, reader.what))
    told.demand(names.FOLLOW, names.INVITE, names.UNDO)
    if told.actor != iris.service:
        raise BadActivity("actor", f"{told.actor[:120]!r} posts in the outbox of {iris.service}")
    if told.type == names.UNDO:
        return Wish(type=told.type, name=told.name, target=told.reader.iri("object"))
    if not told.name.startswith(iris.activity("")):
        raise BadActivity("id", f"activities of this service are called {iris.activity('…')}")
    return Wish(type=told.type, name=told.name, target=service_at(asked(told).target))
