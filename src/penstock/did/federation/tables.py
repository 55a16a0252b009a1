"""The tables of a domain's ActivityPub service: activities, the members of collections, and a few words.

Knows columns, not what is done with them.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    Identity,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from penstock.messaging.layout import COUNTED, Layout

__all__ = ["FEDERATION", "activities", "members", "words"]

_metadata = MetaData()

#: - box: where it came by, `inbox` or `outbox`.
#: - actor, id: only together are they a name. Anybody could call an activity like one of somebody else's,
#:   and that one would look like a duplicate when it comes.
#: - is_public: whether whoever asks may see it.
#: - error: why it could not be handled, if so; empty once it is.
activities: Final = Table(
    "penstock_activities",
    _metadata,
    Column("sequence", COUNTED, Identity(), primary_key=True),
    Column("box", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("id", String, nullable=False),
    Column("type", String, nullable=False),
    Column("is_public", Boolean, nullable=False),
    Column("added_at", Double, nullable=False),
    Column("error", Text, nullable=False),
    Column("document", LargeBinary, nullable=False),
    UniqueConstraint("box", "actor", "id"),
    Index("penstock_activities_shown", "box", "is_public", "sequence"),
    Index("penstock_activities_by_type", "box", "type"),
)

#: - collection: followers, likes …
#: - subject: what the collection is about, where there is one for each anchor; else empty.
members: Final = Table(
    "penstock_collection_members",
    _metadata,
    Column("sequence", COUNTED, Identity(), primary_key=True),
    Column("collection", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("entry", String, nullable=False),
    Column("added_at", Double, nullable=False),
    UniqueConstraint("collection", "subject", "entry"),
    Index("penstock_collection_members_in_order", "collection", "subject", "sequence"),
)

#: What an operator has told the domain while it runs, such as the witness policy; and how far old activities
#: are shortened.
words: Final = Table(
    "penstock_words",
    _metadata,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)


FEDERATION: Final = Layout("federation", _metadata)
