"""The agenda: what queues write down for the wiring's next turn."""

from __future__ import annotations

from math import inf

from penstock.wiring.agenda import Agenda, Dead
from penstock.wiring.backlog import MemoryBacklog
from penstock.wiring.connection import Connection
from penstock.wiring.consumer import Consumer
from penstock.wiring.death import Reason
from penstock.wiring.queue import Queue
from penstock.wiring.template import Template
from tests.wiring.support import reference


def noted_queue() -> tuple[Agenda, Queue]:
    agenda = Agenda()
    return agenda, Queue("q", Template(), agenda, MemoryBacklog())


def test_a_new_agenda_is_empty() -> None:
    agenda = Agenda()
    assert (agenda.touched, list(agenda.graveyard), agenda.cancelled) == ([], [], [])
    assert agenda.deadlines.next_at() == inf


def test_a_queue_is_called_at_the_time_it_asked_for() -> None:
    agenda, queue = noted_queue()
    agenda.expect(queue, 5.0)
    assert (queue.wake_at, agenda.deadlines.next_at()) == (5.0, 5.0)
    assert list(agenda.deadlines.due(5.0)) == [queue]


def test_an_earlier_wish_replaces_a_later_one_and_not_the_other_way_round() -> None:
    agenda, queue = noted_queue()
    for at in (5.0, 3.0, 4.0, inf):
        agenda.expect(queue, at)
    assert (queue.wake_at, len(agenda.deadlines)) == (3.0, 1)
    assert list(agenda.deadlines.due(9.0)) == [queue]  # once, not for each wish


def test_who_never_wants_to_be_called_is_not_written_down() -> None:
    agenda, queue = noted_queue()
    agenda.expect(queue, inf)
    assert len(agenda.deadlines) == 0


def test_a_queue_that_is_forgotten_is_not_called() -> None:
    agenda, queue = noted_queue()
    agenda.expect(queue, 5.0)
    agenda.forget(queue)
    agenda.forget(queue)  # once is enough
    assert (queue.wake_at, len(agenda.deadlines), list(agenda.deadlines.due(9.0))) == (inf, 0, [])


def test_the_dead_are_noted_with_queue_reason_and_error() -> None:
    agenda, queue = noted_queue()
    dead = reference(1)
    queue.die(dead, Reason.REJECTED, "no such customer")
    assert list(agenda.graveyard) == [Dead(dead, queue, Reason.REJECTED, "no such customer")]


def test_news_are_gathered_if_somebody_hears_them() -> None:
    for is_heard in (True, False):
        agenda = Agenda(is_heard=is_heard)
        queue = Queue("q", Template(), agenda, MemoryBacklog())
        consumer = Consumer("c", queue, Connection("client").open_ledger())
        agenda.tell_cancelled(consumer)
        agenda.tell_destroyed(queue)
        assert (agenda.cancelled, agenda.destroyed) == (([consumer], [queue]) if is_heard else ([], []))
