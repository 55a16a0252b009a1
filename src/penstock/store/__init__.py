"""The durable log behind a small port: in memory, or SQLite with files for large bodies.

A store keeps rows and gives them back; it knows neither a protocol nor a socket. Nothing above it
knows a database.
"""

from penstock.store.backlog import StoredBacklog
from penstock.store.batch import Batch
from penstock.store.content_files import ContentFiles
from penstock.store.contents import Contents, Growing, Readable
from penstock.store.joined import Joined
from penstock.store.keeper import Keeper
from penstock.store.memory import MemoryStore
from penstock.store.port import Store
from penstock.store.records import as_change, as_reference, as_row, is_plain
from penstock.store.rows import END, Found, Line, Raw, Standing
from penstock.store.sqlite import SqliteStore

__all__ = [
    "END",
    "Batch",
    "ContentFiles",
    "Contents",
    "Found",
    "Growing",
    "Joined",
    "Keeper",
    "Line",
    "MemoryStore",
    "Raw",
    "Readable",
    "SqliteStore",
    "Standing",
    "Store",
    "StoredBacklog",
    "as_change",
    "as_reference",
    "as_row",
    "is_plain",
]
