"""The store on SQLite in memory, SQLite in a file, and the real PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from secrets import token_bytes
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.errors import MessagingError, NotStorable, StoreError, UnknownDeadLetter
from penstock.messaging.dead_letters import DEAD, REDRIVEN, RETRIED, DeadLetterStore, Selection
from penstock.messaging.dead_letters import store as module
from penstock.messaging.dead_letters.merging import merged
from penstock.messaging.dead_letters.reading import read
from penstock.messaging.engine import open_engine
from penstock.messaging.message import Message
from tests.messaging.dead_letters.making import FAILED, HEADERS, RICH
from tests.messaging.dead_letters.test_reading import TEXT

if TYPE_CHECKING:
    from penstock.messaging.dead_letters import DeadLetter


def letter(number: int, **changes: Any) -> DeadLetter:
    return replace(FAILED, message_id=f"m{number}", last_failure=100.0 + number, **changes)


def test_what_is_kept_is_kept_whole(store: DeadLetterStore) -> None:
    whole = replace(
        FAILED,
        body=bytes(range(256)),
        headers=RICH,
        correlation_id="c",
        reply_to="r",
        priority=5,
        published_at=99.25,
        retry_of="m0",
    )
    assert store.keep([whole]) == 1
    assert store.get("m1") == whole


def test_the_same_is_kept_once(store: DeadLetterStore) -> None:
    assert store.keep([FAILED, FAILED]) == 1
    assert store.keep([FAILED, letter(2)]) == 1
    assert len(store.newest(Selection(), 10)) == 2


def test_of_long_bodies_the_beginning_is_read_if_no_more_is_wanted(store: DeadLetterStore) -> None:
    store.keep([letter(1, body=b"12345"), letter(2, body=b"1234"), letter(3, body=bytes(range(256)))])
    found = store.newest(Selection(), 10, body_most=4)
    assert [(each.body, each.whole) for each in found] == [
        (b"\0\1\2\3", 256),
        (b"1234", None),
        (b"1234", 5),
    ]
    (large,) = store.newest(Selection(where="size > 5"), 10, body_most=4)
    assert large.size == 256


def test_letters_are_chosen_by_the_queues_that_they_came_from(store: DeadLetterStore) -> None:
    store.keep([letter(1, queue="b"), letter(2, queue="a"), letter(3, queue="b", type="Other"), letter(4)])
    assert store.queues(Selection()) == ["a", "b", FAILED.queue]
    assert store.queues(Selection(type="Other", where="region = 'nowhere'")) == ["b"]
    assert [each.message_id for each in store.newest(Selection(queues=("a", "b")), 10)] == ["m3", "m2", "m1"]
    assert store.delete(Selection(queues=())) == 0


def test_all_or_none_are_kept(store: DeadLetterStore) -> None:
    nonsense: Any
    nonsense, error = ("no number", NotStorable) if "postgresql" in repr(store) else (None, StoreError)
    broken = replace(FAILED, message_id="m2", version=nonsense)
    with pytest.raises(error):
        store.keep([FAILED, broken])
    assert store.newest(Selection(state=None), 10) == []


def test_the_same_id_may_be_dead_for_several_consumers(store: DeadLetterStore) -> None:
    other = replace(FAILED, consumer="commons.Search")
    store.keep([FAILED, other])
    assert store.get("m1", "commons.Search") == other
    with pytest.raises(MessagingError, match=r"name one: commons\.Notifications, commons\.Search"):
        store.get("m1")
    with pytest.raises(UnknownDeadLetter, match="no dead letter m1 of nobody"):
        store.get("m1", "nobody")
    with pytest.raises(UnknownDeadLetter, match="no dead letter m2"):
        store.get("m2")


def test_the_newest_failure_comes_first(store: DeadLetterStore) -> None:
    store.keep([letter(2), letter(1), letter(3)])
    assert [each.message_id for each in store.newest(Selection(), 2)] == ["m3", "m2"]
    assert [each.message_id for each in store.page(Selection())] == ["m1", "m2", "m3"]


def test_pages_follow_one_another_without_gap_or_repetition(store: DeadLetterStore) -> None:
    # Some of them failed at the very same time.
    store.keep([replace(letter(number), last_failure=float(number // 4)) for number in range(20)])
    seen: list[DeadLetter] = []
    while page := store.page(Selection(), seen[-1] if seen else None, 3):
        seen += page
    assert len({each.message_id for each in seen}) == len(seen) == 20


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(), ["m5", "m3", "m2", "m1"]),
        (Selection(state=None), ["m5", "m4", "m3", "m2", "m1"]),
        (Selection(consumer="other"), ["m2"]),
        (Selection(type="Other"), ["m3"]),
        (Selection(group=FAILED.group), ["m5", "m1"]),
        (Selection(state="redriven"), ["m4"]),
        (Selection(message_ids=("m1", "m3", "m9")), ["m3", "m1"]),
        (Selection(where="region = 'us'"), ["m5"]),
        (Selection(where="attempts >= 3 AND type = 'ThreadCreated'", consumer="other"), ["m2"]),
    ],
)
def test_a_selection_finds_what_fits(
    store: DeadLetterStore, selection: Selection, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    store.keep(
        [
            letter(1),
            letter(2, consumer="other"),
            letter(3, type="Other"),
            letter(4, state=REDRIVEN),
            letter(5, headers={"region": "us"}),
        ]
    )
    assert [each.message_id for each in store.newest(selection, 10)] == found
    # What is deleted is what would have been found.
    assert store.delete(selection) == len(found)
    assert len(store.newest(Selection(state=None), 10)) == 5 - len(found)


def test_what_fits_is_counted_where_the_database_can_tell(store: DeadLetterStore) -> None:
    store.keep([letter(1), letter(2), letter(3, type="Other")])
    assert store.maybe_count(Selection()) == 3
    assert store.maybe_count(Selection(type="Other")) == 1
    assert store.maybe_count(Selection(message_ids=("m1", "m9"))) == 1
    assert store.maybe_count(Selection(where="attempts > 0")) is None


def test_groups_are_counted(store: DeadLetterStore) -> None:
    store.keep([letter(number, error=f"no thread {number}") for number in range(3)])
    store.keep([letter(7, redriven=2, error="no thread 7", first_failure=5.0)])
    store.keep([letter(8, type="Other"), letter(9, state=REDRIVEN)])
    large, small = store.groups(Selection())
    assert (large.count, large.returned) == (4, 1)
    assert (large.consumer, large.type, large.error) == (
        "commons.Notifications",
        "ThreadCreated",
        "no thread 7",
    )
    assert (large.error_class, large.reason) == ("builtins.LookupError", "failed")
    assert (large.first_failure, large.last_failure) == (5.0, 107.0)
    assert large.group == FAILED.group
    assert (small.count, small.type) == (1, "Other")
    assert [group.group for group in store.groups(Selection(type="Other"))] == [small.group]
    with pytest.raises(MessagingError, match="list with it"):
        store.groups(Selection(where="a = 1"))


def test_a_redriven_one_is_marked_and_comes_back_to_its_group(store: DeadLetterStore) -> None:
    store.keep([FAILED])
    store.mark_redriven([FAILED], 200.0)
    marked = store.get("m1")
    assert (marked.state, marked.redriven, marked.redriven_at) == (REDRIVEN, 1, 200.0)
    assert store.groups(Selection()) == []
    store.keep([replace(FAILED, redriven=1, last_failure=210.0)])
    back = store.get("m1")
    assert (back.state, back.redriven, back.attempts) == (DEAD, 1, 6)
    assert [group.group for group in store.groups(Selection())] == [FAILED.group]


def test_one_that_is_back_before_it_is_marked_stays_dead(store: DeadLetterStore) -> None:
    store.keep([FAILED])
    store.keep([replace(FAILED, redriven=1, last_failure=210.0)])
    store.mark_redriven([FAILED], 200.0)
    assert (store.get("m1").state, store.get("m1").redriven) == (DEAD, 1)


def test_an_edited_one_knows_what_went_in_its_place(store: DeadLetterStore) -> None:
    store.keep([FAILED])
    store.mark_retried(FAILED, "m2", 200.0)
    edited = store.get("m1")
    assert (edited.state, edited.retried_as, edited.redriven_at) == (RETRIED, "m2", 200.0)


def test_the_oldest_is_what_an_inbox_must_remember(store: DeadLetterStore) -> None:
    assert store.oldest_at() is None
    store.keep(
        [
            letter(1, first_failure=50.0, state=REDRIVEN),
            letter(2, first_failure=60.0, consumer="other"),
            letter(3, first_failure=10.0, state=RETRIED),
        ]
    )
    assert (store.oldest_at(), store.oldest_at("other"), store.oldest_at("nobody")) == (50.0, 60.0, None)


def test_what_has_not_come_back_can_be_forgotten(store: DeadLetterStore) -> None:
    store.keep([letter(number) for number in range(4)])
    store.mark_redriven([letter(0), letter(1)], 200.0)
    store.mark_retried(letter(2), "x", 300.0)
    assert store.forget(250.0) == 2
    assert {each.message_id for each in store.newest(Selection(state=None), 9)} == {"m2", "m3"}


def test_an_event_loop_is_not_blocked(store: DeadLetterStore) -> None:
    async def story() -> None:
        thread = await store.run(threading.current_thread)
        assert thread.name.startswith("dead-letters")
        assert await store.run(store.keep, [FAILED]) == 1
        assert (await store.run(store.get, "m1", consumer=FAILED.consumer)) == FAILED

    asyncio.run(story())


def test_a_password_is_not_shown(postgresql_url: str) -> None:
    store = DeadLetterStore("postgresql://user:sesame@host/db")
    assert repr(store) == "<DeadLetterStore postgresql+psycopg://user:***@host/db>"
    store.close()


def test_two_keepers_at_once_lose_nothing(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stores = [DeadLetterStore(postgresql_url) for _ in range(2)]
    stores[0].create()
    stores[0].keep([replace(FAILED, attempts=1)])
    merging, go_on = threading.Semaphore(0), threading.Event()

    def slowly(*letters: DeadLetter) -> DeadLetter:
        merging.release()
        assert go_on.wait(60)
        return merged(*letters)

    monkeypatch.setattr(module, "merged", slowly)
    # Given one keeper that has read the row and not yet written it
    arrivals = [replace(FAILED, attempts=5), replace(FAILED, attempts=2, first_failure=50.0)]
    threads = [
        threading.Thread(target=store.keep, args=([each],))
        for store, each in zip(stores, arrivals, strict=True)
    ]
    threads[0].start()
    assert merging.acquire(timeout=60)
    # When another one comes, and waits for the row, or does not
    threads[1].start()
    while not is_waiting(postgresql_url) and not merging.acquire(timeout=0.01):
        pass
    go_on.set()
    for thread in threads:
        thread.join()
    # Then the row knows of both
    row = stores[0].get("m1")
    assert (row.attempts, row.first_failure) == (5, 50.0)
    for store in stores:
        store.close()


def is_waiting(url: str) -> bool:
    """Whether somebody waits for a lock in that database."""
    engine = open_engine(url)
    waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    with engine.begin() as connection:
        count = connection.execute(waiting).scalar()
    engine.dispose()
    return bool(count)


NASTY = st.builds(Message, body=st.binary(max_size=9), id=TEXT, type=TEXT, headers=HEADERS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(message=NASTY)
def test_whatever_was_read_can_be_kept(store: DeadLetterStore, message: Message) -> None:
    read_one = read(message, [], 1.0)
    store.keep([read_one])
    assert store.get(read_one.message_id, read_one.consumer).body == message.body


def test_names_and_numbers_that_other_programs_have_written_are_kept_as_far_as_they_fit(
    store: DeadLetterStore,
) -> None:
    # Nothing that a database could compress, as an index does first.
    long = ["".join(chr(0x1F600 + byte % 64) for byte in token_bytes(3000)) for _ in range(2)]
    for name in long:
        headers = {"x-penstock-consumer": name, "x-penstock-attempts": 2**31 - 1}
        for redriven in (0, 2**31 - 1):
            found = read(message_of(name, headers | {"x-penstock-redriven": redriven}), [], 1.0)
            store.keep([found])
            store.mark_redriven([found], 2.0)
    assert {each.body.decode() for each in store.newest(Selection(state=None), 10)} == set(long)


def message_of(name: str, headers: dict[str, Any]) -> Message:
    """A message of Orb's, with its id in a header."""
    return Message(body=name.encode(), id="", headers=headers | {"_watermill_message_uuid": name})
