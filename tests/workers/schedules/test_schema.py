from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa

from penstock.messaging.dead_letters.engine import open_engine
from penstock.workers.schedules.schema import create, schedules


def test_several_may_create_the_table_at_once(url: str) -> None:
    engine = open_engine(url)

    def begin(_: int) -> None:
        with engine.begin() as connection:
            create(connection)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(begin, range(4)))
    with engine.begin() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(schedules)).scalar_one() == 0
    engine.dispose()
