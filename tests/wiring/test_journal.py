"""The journal: what persistent queues note about their persistent messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wiring import PERSISTENT, Message, Overflow
from penstock.wiring.journal import Journal
from tests.wiring.support import NAMES, bodies, consume, deliver, in_hand, journalled, send

if TYPE_CHECKING:
    from penstock.wiring import Reference
    from penstock.wiring.stock import Stock


def test_a_new_journal_is_empty() -> None:
    assert len(Journal()) == 0


def noted(notes: list[tuple[Stock, Reference]]) -> list[str]:
    return bodies(found for _, found in notes)


def test_what_comes_and_goes_is_noted_if_both_are_persistent() -> None:
    wiring, queue, journal = journalled()
    wiring.register(wiring.create_queue("forgetful", now=0.0), NAMES, "q")
    messages = [Message(b"%d" % number, "q", terms=PERSISTENT) for number in range(4)]
    wiring.publish(NAMES, messages, 0.0)
    send(wiring, "forgettable")
    consumer = in_hand(wiring, queue)
    consumer.ledger.ack(2, up_to=True)
    consumer.ledger.ack(5)
    consumer.ledger.reject(3, 0.0)
    deliver(wiring)
    assert (noted(journal.added), noted(journal.removed)) == (["0", "1", "2", "3"], ["0", "1", "2"])
    assert (len(journal), {found for found, _ in journal.added}) == (7, {queue})


def test_what_comes_back_or_is_put_aside_is_noted_as_changed() -> None:
    wiring, queue, journal = journalled()
    send(wiring, "1", "2", "3", persistent=True)
    send(wiring, "forgettable")
    consumer = in_hand(wiring, queue)
    consumer.ledger.nack(1, 0.0)
    consumer.ledger.bury(2)
    consumer.ledger.nack(4, 0.0)
    assert noted(journal.changed) == ["1", "2"]


def test_what_is_purged_removed_or_sent_unacknowledged_is_noted_as_removed() -> None:
    wiring, queue, journal = journalled()
    send(wiring, "1", "2", persistent=True)
    queue.remove(next(queue.peek()))
    queue.purge()
    consume(wiring, queue, acks=False)
    send(wiring, "3", persistent=True)
    deliver(wiring)
    assert noted(journal.removed) == ["1", "2", "3"]


def test_a_newcomer_that_is_refused_was_never_there() -> None:
    wiring, _, journal = journalled(max_length=0, overflow=Overflow.DEAD_LETTER)
    send(wiring, "1", persistent=True)
    deliver(wiring)
    assert len(journal) == 0


def test_a_destroyed_queue_is_noted_with_all_that_was_in_it() -> None:
    wiring, queue, journal = journalled()
    send(wiring, "1", "2", persistent=True)
    consumer = in_hand(wiring, queue, prefetch=1)
    wiring.destroy_queue(queue)
    before = len(journal)
    consumer.ledger.ack(1)
    assert (journal.destroyed, len(journal)) == ([queue], before)


def test_the_dead_are_noted_when_they_arrive_among_the_dead_letters() -> None:
    # Whatever is written between the two verbs, the message is in one place or the other.
    wiring, queue, journal = journalled()
    send(wiring, "1", persistent=True)
    consumer = in_hand(wiring, queue)
    consumer.ledger.reject(1, 0.0)
    assert journal.removed == []
    deliver(wiring)
    assert noted(journal.removed) == ["1"]


def test_what_was_kept_on_disk_is_noted_when_it_goes_persistent_or_not() -> None:
    wiring, queue, journal = journalled()
    overflowed, _ = send(wiring, "overflowed", "forgettable")
    overflowed.stored = 7
    queue.purge()
    assert noted(journal.removed) == ["overflowed"]
