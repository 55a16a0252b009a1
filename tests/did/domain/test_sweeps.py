from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.domain.parts import create_tables
from penstock.did.domain.sweeps import register_sweeps
from penstock.did.expiry import ExpiryService
from penstock.did.parameters import DidParameters
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase


def test_all_that_expires_can_be_swept(database: DomainDatabase, clock: VirtualClock) -> None:
    create_tables(database)
    expiry = ExpiryService(database, clock=clock)
    register_sweeps(expiry, DidParameters())
    swept = run(expiry.run())
    assert {"operations", "acked operations", "unpublished operations"} <= set(swept)
    assert set(swept.values()) == {0}
