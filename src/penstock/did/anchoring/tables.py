"""The tables of anchoring. Knows columns, not what is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
    update,
)

from penstock.did.cas.hashlink import HashLink
from penstock.messaging.layout import Layout, adding

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["ANCHORING", "UNOBSERVED", "anchors", "copies", "credentials", "links", "tries", "witnesses"]

_metadata = MetaData()

#: Anchors of this domain, from being written to being published.
#: - anchor: its name, a hashlink without hints. cut: the number of the batch.
#: - linkset: canonical; with the author's proof, and from `proved` on with all; NULL when it is published.
#: - round: how many offers there are. asked_at, ends_at: when the last was made, and until when it holds.
#: - is_offered: whether the last offer is certainly posted.
#: - check_at: when the monitor looks at it. expires_at: when one that is completed may be forgotten.
anchors: Final = Table(
    "penstock_anchors",
    _metadata,
    Column("anchor", String, primary_key=True),
    Column("cut", BigInteger, nullable=False),
    Column("status", String, nullable=False),
    Column("linkset", LargeBinary),
    Column("round", Integer, nullable=False),
    Column("is_offered", Boolean, nullable=False),
    Column("asked_at", Double, nullable=False),
    Column("ends_at", Double, nullable=False),
    Column("check_at", Double, nullable=False),
    Column("expires_at", Double),
    # The index holds what is open, and nothing else.
    Index(
        "penstock_anchors_open",
        "check_at",
        postgresql_where=text("status <> 'completed'"),
        sqlite_where=text("status <> 'completed'"),
    ),
    Index("penstock_anchors_expired", "expires_at"),
)

#: Witnesses of an anchor, a row for each role.
#: - asked_in: the round of the offer that it was last asked with; 0 if it was not.
#: - proof: as JSON, with what it is explained by.
witnesses: Final = Table(
    "penstock_anchor_witnesses",
    _metadata,
    Column("anchor", String, primary_key=True),
    Column("iri", String, primary_key=True),
    Column("role", String, primary_key=True),
    Column("has_log", Boolean, nullable=False),
    Column("asked_in", Integer, nullable=False),
    Column("proof", Text),
)

#: The condition of an index, which whoever is to be led by it says in the same words.
UNOBSERVED: Final = text("state <> 'observed'")

#: Anchors of all domains that were told of here.
#: - hash: the resource hash of the linkset. link: the hashlink that leads to it.
#: - state: see links.py. updated_at: since when it is in it. since: when it was first told of; NULL of some
#:   that older versions were told of.
#: - stored, refused: how many of its operations are stored, and how many can never count.
#: - reasons: why, of the first of these, as JSON.
#: - issued_at: when the credential of one that is observed was; NULL of some that older versions observed.
links: Final = Table(
    "penstock_anchor_links",
    _metadata,
    Column("hash", String, primary_key=True),
    Column("link", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("stored", Integer),
    Column("refused", Integer),
    Column("reasons", Text),
    Column("issued_at", Double),
    Column("since", Double),
    # Who looks sees the newest, and the expiry service looks for the oldest.
    Index("penstock_anchor_links_updated", "updated_at"),
    # What is asked for each minute is among those that are not observed: a few of a million.
    Index(
        "penstock_anchor_links_open",
        "updated_at",
        postgresql_where=UNOBSERVED,
        sqlite_where=UNOBSERVED,
    ),
)

#: Where others have copies of a linkset, as their Likes tell.
copies: Final = Table(
    "penstock_anchor_copies",
    _metadata,
    Column("hash", String, primary_key=True),
    Column("owner", String, primary_key=True),
    Column("link", Text, nullable=False),
)

#: Credentials of this domain's anchors.
#: - name: the last part of its URL. document: canonical.
credentials: Final = Table(
    "penstock_credentials",
    _metadata,
    Column("name", String, primary_key=True),
    Column("document", LargeBinary, nullable=False),
)


#: Anchors, and other things, that somebody is at, and those at which somebody has died: observing/tries.py.
tries: Final = Table(
    "penstock_anchor_tries",
    _metadata,
    Column("hash", String, primary_key=True),
    Column("count", Integer, nullable=False),
)


def _make_tries(connection: Connection) -> None:
    tries.create(connection, checkfirst=True)


def _index_links(connection: Connection) -> None:
    for index in links.indexes:
        index.create(connection, checkfirst=True)


def _date_links(connection: Connection) -> None:
    """The layouts before had a table of DIDs and their latest anchors, and dates nowhere else."""
    adding(links.c.issued_at)(connection)
    dated = "SELECT anchor, max(issued_at) FROM penstock_did_anchors GROUP BY anchor"
    for anchor, issued_at in connection.exec_driver_sql(dated).all():
        mine = links.c.hash == HashLink.parse(anchor).hash
        connection.execute(update(links).where(mine).values(issued_at=issued_at))
    connection.exec_driver_sql("DROP TABLE penstock_did_anchors")


ANCHORING: Final = Layout(
    "anchoring",
    _metadata,
    steps=[
        adding(links.c.stored, links.c.refused, links.c.reasons),
        _make_tries,
        _index_links,
        _date_links,
        adding(links.c.since),
        _index_links,
    ],
)
