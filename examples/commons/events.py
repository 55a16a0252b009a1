"""What the services tell each other: the contract between them, and all that they share.

An entity is something on a chain: a proposal, a thread. The first three are the create, update and delete
messages of the chain events service; the last is what the entities service makes of them.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from penstock.messaging.events import event

__all__ = ["EntityChanged", "EntityCreated", "EntityDeleted", "EntityUpdated"]


@event("EntityCreated")
class EntityCreated(Struct, frozen=True):
    """There is a new entity on a chain."""

    id: str
    chain: str
    title: str
    #: Counts the changes of one entity, so that a late message is known for what it is.
    revision: int


@event("EntityUpdated")
class EntityUpdated(Struct, frozen=True):
    """An entity has another title."""

    id: str
    chain: str
    title: str
    revision: int


@event("EntityDeleted")
class EntityDeleted(Struct, frozen=True):
    """An entity is gone."""

    id: str
    chain: str
    revision: int


@event("EntityChanged")
class EntityChanged(Struct, frozen=True):
    """The entities service has taken a change over: people may be told."""

    id: str
    chain: str
    change: Literal["created", "updated", "deleted"]
    title: str
