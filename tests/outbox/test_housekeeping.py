from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from penstock.errors import OutboxError, StoreError
from penstock.outbox import Database, Housekeeping, Inbox
from penstock.outbox.housekeeping import forget_handled
from tests.outbox.helpers import TO, comes_true, message, rows, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy.engine import Engine

    from penstock.clock import VirtualClock
    from penstock.outbox import Outbox
    from tests.outbox.recording import RecordingBroker


@pytest.fixture
def inbox(engine: Engine, clock: VirtualClock) -> Inbox:
    """Handled messages "0" to "9", a second apart; it is second 10 now."""
    inbox = Inbox(clock=clock)
    inbox.metadata.create_all(engine)
    for n in range(10):
        with engine.begin() as connection:
            inbox.is_new(connection, str(n), "one")
        clock.advance(1)
    return inbox


def remembered(engine: Engine, inbox: Inbox) -> str:
    with engine.connect() as connection:
        found = connection.scalars(inbox.table.select().with_only_columns(inbox.table.c.message_id))
        return "".join(sorted(found))


async def nobody() -> None:
    """No dead letters, told by a coroutine."""


@pytest.mark.parametrize(
    ("oldest", "left"),
    [
        (lambda: None, "6789"),
        (nobody, "6789"),
        (lambda: 1_000_008.0, "456789"),
        (lambda: 1_000_003.0, "0123456789"),
        (lambda: 1_000_999.0, "6789"),
    ],
    ids=["no dead letters", "told by a coroutine", "a young one", "an old one", "one of the future"],
)
def test_the_inbox_remembers_what_a_dead_letter_may_bring_back(
    engine: Engine, inbox: Inbox, oldest: Callable[[], float | None], left: str
) -> None:
    async def story() -> None:
        database = Database(engine)
        await forget_handled(database, inbox, keep=4.0, oldest_dead_letter=oldest)
        database.close()

    run(story())
    assert remembered(engine, inbox) == left


def test_if_the_dead_letters_cannot_be_asked_nothing_is_forgotten(engine: Engine, inbox: Inbox) -> None:
    def away() -> float | None:
        raise StoreError("locked")

    async def story() -> None:
        database = Database(engine)
        try:
            with pytest.raises(StoreError):
                await forget_handled(database, inbox, keep=0.0, oldest_dead_letter=away)
        finally:
            database.close()

    run(story())
    assert remembered(engine, inbox) == "0123456789"


def test_rounds_come_every_so_often_whatever_goes_wrong(
    engine: Engine,
    inbox: Inbox,
    outbox: Outbox,
    broker: RecordingBroker,
    clock: VirtualClock,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers: list[float | None] = []

    def oldest() -> float | None:
        if not answers:
            raise StoreError("locked")
        return answers[0]

    with engine.begin() as connection:
        outbox.add(connection, message(), to=TO, relayed=1)
    keeping = Housekeeping(
        engine=engine,
        outbox=outbox,
        keep_relayed=5.0,
        archive=tmp_path / "archive",
        inbox=inbox,
        keep_handled=4.0,
        oldest_dead_letter=oldest,
        every=60.0,
    )

    async def story() -> None:
        await keeping.start(broker)
        await comes_true(lambda: clock.next_at == clock.now() + 60)
        answers.append(None)
        clock.advance(60)
        await comes_true(lambda: remembered(engine, inbox) == "")
        await keeping.stop()
        await keeping.stop()

    with caplog.at_level(logging.WARNING):
        run(story())
    assert "put off until the next round: locked" in caplog.text
    assert rows(engine, outbox, "id") == []
    assert len(list((tmp_path / "archive").iterdir())) == 1


def test_rounds_go_on_whatever_an_application_answers(
    engine: Engine,
    inbox: Inbox,
    broker: RecordingBroker,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers: list[float | None] = []
    keeping = Housekeeping(
        engine=engine, inbox=inbox, keep_handled=4.0, oldest_dead_letter=lambda: answers[0], every=60.0
    )

    async def story() -> None:
        await keeping.start(broker)
        await comes_true(lambda: clock.next_at == clock.now() + 60)
        answers.append(None)
        clock.advance(60)
        await comes_true(lambda: remembered(engine, inbox) == "")
        await keeping.stop()

    run(story())
    assert "IndexError" in caplog.text


def test_an_inbox_forgets_nothing_without_being_told_of_dead_letters(engine: Engine, inbox: Inbox) -> None:
    with pytest.raises(OutboxError, match="give oldest_dead_letter"):
        Housekeeping(engine=engine, inbox=inbox)
