from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy import event

from penstock.errors import BadSetting, StoreError
from penstock.messaging.tracing import Trace, within
from penstock.workers.cron import Cron
from penstock.workers.schedules import Scheduled, Schedules
from penstock.workers.schedules.store import FIRINGS_KEPT_S

if TYPE_CHECKING:
    from sqlalchemy import Connection

ROW = Scheduled(key="building 7", job="j1", due_at=100.0, queue="bg", body=b"{}", priority=5)
HOURLY = {"captcha": Cron("@hourly")}


def test_a_job_is_kept_until_it_is_due_and_then_claimed_once(store: Schedules) -> None:
    store.put(ROW)
    assert store.find("building 7") == ROW
    assert store.claim(99.0, 130.0, (), 10) == []
    assert store.next_at(()) == 100.0
    (claimed,) = store.claim(100.0, 130.0, (), 10)
    assert claimed.scheduled == ROW
    assert store.claim(101.0, 131.0, (), 10) == []
    store.settle([(claimed, None)])
    assert (store.find("building 7"), store.next_at(())) == (None, None)


def test_what_waits_costs_nothing_until_it_is_due(url: str, store: Schedules) -> None:
    if not url.startswith("sqlite"):
        pytest.skip("what a statement costs is asked of SQLite")
    for number in range(300):
        store.put(replace(ROW, key=str(number), due_at=100.0 + number))
    store.claim(100.0, 130.0, (), 10)
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    def begun(connection: Connection) -> None:
        cast("Any", connection.connection.dbapi_connection).set_progress_handler(step, 1)

    event.listen(store._engine, "begin", begun)
    assert store.next_at(()) == 101.0
    assert steps < 300, "fewer steps than there are rows"


def test_the_claim_of_a_scheduler_that_died_lapses(store: Schedules) -> None:
    store.put(ROW)
    store.claim(100.0, 130.0, (), 10)
    assert store.next_at(()) == 130.0
    assert [each.scheduled for each in store.claim(130.0, 160.0, (), 10)] == [ROW]


def test_a_job_that_has_begun_to_leave_is_neither_cancelled_nor_moved(store: Schedules) -> None:
    store.put(ROW)
    store.claim(100.0, 130.0, (), 10)
    assert not store.cancel("building 7", 110.0)
    assert not store.move("building 7", 500.0, 110.0)
    assert store.cancel("building 7", 130.0)


def test_a_job_takes_the_place_of_another_with_its_key(store: Schedules) -> None:
    store.put(ROW)
    later = replace(ROW, job="j2", due_at=200.0)
    store.put(later)
    assert store.find("building 7") == later
    assert store.claim(150.0, 180.0, (), 10) == []


def test_who_was_replaced_while_leaving_does_not_take_the_new_one_along(store: Schedules) -> None:
    store.put(ROW)
    (claimed,) = store.claim(100.0, 130.0, (), 10)
    later = replace(ROW, job="j2", due_at=200.0)
    store.put(later)
    store.settle([(claimed, None)])
    assert store.find("building 7") == later


def test_a_job_that_is_moved_is_due_then(store: Schedules) -> None:
    store.put(ROW)
    assert store.move("building 7", 50.0, 10.0)
    assert [each.due_at for each in store.claim(60.0, 90.0, (), 10)] == [50.0]
    assert not store.move("nobody", 50.0, 10.0)


def test_a_job_is_kept_together_with_what_the_application_commits_or_not_at_all(store: Schedules) -> None:
    with store._engine.connect() as connection:
        store.put(ROW, connection)
        connection.rollback()
    assert store.find("building 7") is None
    with store._engine.begin() as connection:
        store.put(ROW, connection)
        assert store.move("building 7", 50.0, 10.0, connection)
    assert store.next_at(()) == 50.0
    with store._engine.connect() as connection:
        assert store.cancel("building 7", 10.0, connection)
        connection.rollback()
    assert store.next_at(()) == 50.0


def test_the_oldest_are_claimed_first_and_no_more_than_asked_for(store: Schedules) -> None:
    for number in (3, 1, 2):
        store.put(replace(ROW, key=str(number), due_at=float(number)))
    assert [each.key for each in store.claim(100.0, 130.0, (), 2)] == ["1", "2"]
    assert [each.key for each in store.claim(100.0, 130.0, (), 2)] == ["3"]


def test_a_cron_is_claimed_by_those_alone_who_know_it_and_comes_again(store: Schedules) -> None:
    store.follow(HOURLY, 10.0)
    store.follow(HOURLY, 20.0)
    assert (store.next_at(()), store.next_at(HOURLY)) == (None, 3600.0)
    assert store.claim(3600.0, 3630.0, (), 10) == []
    (claimed,) = store.claim(3600.0, 3630.0, HOURLY, 10)
    assert (claimed.key, claimed.due_at, claimed.scheduled) == ("captcha", 3600.0, None)
    store.settle([(claimed, 7200.0)])
    assert store.next_at(HOURLY) == 7200.0
    assert store.claim(3601.0, 3631.0, HOURLY, 10) == []
    # Somebody else may have done so meanwhile.
    store.settle([(claimed, 9999.0)])
    assert store.next_at(HOURLY) == 7200.0


def test_a_cron_that_was_changed_is_found_anew(store: Schedules) -> None:
    store.follow({"captcha": Cron("@yearly")}, 10.0)
    store.follow(HOURLY, 10.0)
    assert store.next_at(HOURLY) == 3600.0


def test_a_key_and_a_cron_of_the_same_name_are_two(store: Schedules) -> None:
    store.put(replace(ROW, key="captcha"))
    store.follow(HOURLY, 10.0)
    assert store.find("captcha") is not None
    assert store.cancel("captcha", 10.0)
    assert store.next_at(HOURLY) == 3600.0


def test_of_many_schedulers_one_gets_each_row(url: str, store: Schedules) -> None:
    for number in range(40):
        store.put(replace(ROW, key=str(number)))
    others = [Schedules(url) for _ in range(4)]

    def take(other: Schedules) -> list[str]:
        found = []
        while rows := other.claim(100.0, 130.0, (), 3):
            found += [each.key for each in rows]
        return found

    with ThreadPoolExecutor(4) as threads:
        taken = [key for found in threads.map(take, others) for key in found]
    for other in others:
        other.close()
    assert sorted(taken, key=int) == [str(number) for number in range(40)]


def test_a_verb_is_done_beside_the_event_loop(store: Schedules) -> None:
    async def story() -> None:
        await store.run(store.put, ROW)
        assert await store.run(store.find, "building 7") == ROW

    asyncio.run(story())


def test_a_database_that_cannot_be_used_is_told_in_our_words() -> None:
    with pytest.raises(BadSetting, match="schedules are kept in SQLite or PostgreSQL"):
        Schedules("mysql://somewhere/else")
    store = Schedules("sqlite:////nowhere/at/all.db")
    with pytest.raises(StoreError, match="the schedules cannot be read or written"):
        store.create()
    store.close()
    assert repr(Schedules("sqlite://")) == "<Schedules sqlite://>"


def test_what_waits_can_be_looked_at_the_next_first(store: Schedules) -> None:
    store.put(ROW)
    store.follow(HOURLY, 0.0)
    [job, cron] = store.waiting(50.0, 10)
    assert (job.kind, job.key, job.due_at, job.queue, job.body) == ("job", "building 7", 100.0, "bg", b"{}")
    assert (cron.kind, cron.key, cron.body, cron.is_leaving) == ("cron", "captcha", None, False)
    store.claim(100.0, 130.0, (), 10)
    assert [each.is_leaving for each in store.waiting(110.0, 1)] == [True]


def test_a_job_keeps_the_trace_in_which_it_was_put_however_often_it_is_moved(store: Schedules) -> None:
    trace = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
    with within(trace):
        store.put(ROW)
    assert store.move(ROW.key, 50.0, 0.0)
    assert store.find(ROW.key) == replace(ROW, due_at=50.0, trace=trace)
    # Who puts another job in its place is where that one comes from.
    store.put(ROW)
    assert store.find(ROW.key) == ROW


def test_the_first_put_of_a_job_counts_until_it_is_long_ago(store: Schedules) -> None:
    assert store.first_put("j1", "a", 100) == "a"
    assert store.first_put("j1", "b", 200) == "a"
    assert store.first_put("j2", "b", 200) == "b"
    store.claim(100 + FIRINGS_KEPT_S, 0, (), 10)
    assert store.first_put("j1", "c", 300) == "a"
    store.claim(101 + FIRINGS_KEPT_S, 0, (), 10)
    assert store.first_put("j1", "c", 300) == "c"
