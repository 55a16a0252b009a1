from __future__ import annotations

from typing import TYPE_CHECKING

from penstock import __version__
from penstock.did.database import DomainDatabase
from penstock.did.web.health import HealthPages
from tests.did.operation_queue.helpers import PaperBroker
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from penstock.clock import VirtualClock


def test_a_domain_is_well_while_all_that_it_needs_is_there(
    memory: DomainDatabase, clock: VirtualClock
) -> None:
    broker = PaperBroker(clock)
    routes = HealthPages(memory, broker).routes()
    assert ask(routes, "GET", "/healthcheck").json == {
        "status": "OK",
        "mqStatus": "success",
        "dbStatus": "success",
        "currentTime": "1970-01-12T13:46:40.000000Z",
        "version": __version__,
    }
    broker.is_connected = False
    found = ask(routes, "GET", "/healthcheck")
    assert (found.status, found.json["mqStatus"], found.json["dbStatus"]) == (503, "unavailable", "success")


def test_a_database_that_is_away_is_told_of() -> None:
    database = DomainDatabase("sqlite:////nowhere/at/all.db")
    found = ask(HealthPages(database, PaperBroker()).routes(), "GET", "/healthcheck")
    assert (found.status, found.json["status"], found.json["dbStatus"]) == (503, "unavailable", "unavailable")
    database.close()
