"""Transactional outbox and inbox in the application's own database."""

from penstock.outbox.archive import read_archive
from penstock.outbox.database import Database
from penstock.outbox.database_first import database_first
from penstock.outbox.guard import Writer, other_writers
from penstock.outbox.housekeeping import Housekeeping
from penstock.outbox.idempotent import idempotent
from penstock.outbox.inbox import Inbox
from penstock.outbox.outbox import Outbox
from penstock.outbox.reconcile import Reconciler
from penstock.outbox.relay import Relay, Relayed
from penstock.outbox.relay_settings import RelaySettings
from penstock.outbox.replay import Selection, archived, count_kept, kept, replay
from penstock.outbox.retention import prune
from penstock.outbox.shared_table import Change, SharedTable
from penstock.outbox.status import Status, put_back, status_of
from penstock.outbox.telling import Told

__all__ = [
    "Change",
    "Database",
    "Housekeeping",
    "Inbox",
    "Outbox",
    "Reconciler",
    "Relay",
    "RelaySettings",
    "Relayed",
    "Selection",
    "SharedTable",
    "Status",
    "Told",
    "Writer",
    "archived",
    "count_kept",
    "database_first",
    "idempotent",
    "kept",
    "other_writers",
    "prune",
    "put_back",
    "read_archive",
    "replay",
    "status_of",
]
