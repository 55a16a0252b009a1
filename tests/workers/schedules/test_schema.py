from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa

from penstock.messaging.engine import open_engine
from penstock.messaging.layout import Layout
from penstock.workers.schedules import Scheduled, Schedules
from penstock.workers.schedules.schema import SCHEDULES, schedules


def test_several_may_create_the_table_at_once(url: str) -> None:
    engine = open_engine(url)

    def begin(_: int) -> None:
        with engine.begin() as connection:
            SCHEDULES.upgrade(connection)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(begin, range(4)))
    with engine.begin() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(schedules)).scalar_one() == 0
    engine.dispose()


def test_what_waits_in_a_table_of_the_first_version_is_kept(url: str) -> None:
    # Given a table as it once was, and a job in it
    before = sa.MetaData()
    old = sa.Table(
        "penstock_schedules",
        before,
        *(
            sa.Column(each.name, each.type, primary_key=each.primary_key)
            for each in schedules.columns
            if not each.name.startswith("trace")
        ),
    )
    engine = open_engine(url)
    with engine.begin() as connection:
        Layout("schedules", before).upgrade(connection)
        row = {"due_at": 1.0, "version": 1, "claimed_until": 0.0, "queue": "bg", "body": b"{}", "priority": 5}
        connection.execute(sa.insert(old).values(key="job fleet 7", job="j1", **row))
    # When a Penstock of today opens it
    store = Schedules(engine)
    store.create()
    # Then it is there, part of no trace
    assert store.find("fleet 7") == Scheduled(
        key="fleet 7", job="j1", due_at=1.0, queue="bg", body=b"{}", priority=5
    )
    store.close()
    engine.dispose()
