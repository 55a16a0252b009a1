"""Transactional outbox and inbox in the application's own database."""

from penstock.outbox.outbox import Outbox
from penstock.outbox.relay import Relay, Relayed
from penstock.outbox.relay_settings import RelaySettings

__all__ = ["Outbox", "Relay", "RelaySettings", "Relayed"]
