from __future__ import annotations

from penstock.did.database import DomainDatabase
from penstock.did.web.health import HealthPages
from tests.did.operation_queue.helpers import PaperBroker
from tests.did.web.helpers import ask


def test_a_domain_is_well_while_all_that_it_needs_is_there(memory: DomainDatabase) -> None:
    broker = PaperBroker()
    routes = HealthPages(memory, broker).routes()
    assert ask(routes, "GET", "/healthcheck").json == {
        "status": "success",
        "mqStatus": "success",
        "dbStatus": "success",
    }
    broker.is_connected = False
    found = ask(routes, "GET", "/healthcheck")
    assert (found.status, found.json["mqStatus"], found.json["dbStatus"]) == (503, "unavailable", "success")


def test_a_database_that_is_away_is_told_of() -> None:
    database = DomainDatabase("sqlite:////nowhere/at/all.db")
    found = ask(HealthPages(database, PaperBroker()).routes(), "GET", "/healthcheck")
    assert (found.status, found.json["status"], found.json["dbStatus"]) == (503, "unavailable", "unavailable")
    database.close()
