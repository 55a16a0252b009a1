"""Connections: a client's ledgers and its private queues, which go with it."""

from __future__ import annotations

from penstock.wiring import Connection, Wiring
from tests.wiring.support import consume, deliver, open_ledger, ready, send, wired


def test_a_connection_opens_as_many_ledgers_as_it_likes() -> None:
    connection = Connection("client")
    first, second = connection.open_ledger(), connection.open_ledger()
    assert list(connection.ledgers) == [first, second]
    assert first.connection is second.connection is connection


def test_a_connection_shows_what_it_has() -> None:
    wiring = Wiring()
    connection = wiring.connect("client")
    connection.open_ledger()
    wiring.create_queue(private_to=connection, now=0.0)
    assert repr(connection) == "<Connection 'client', 1 ledgers, 1 private queues>"


def test_its_private_queues_go_with_it() -> None:
    wiring, shared = wired()
    connection = wiring.connect("client")
    private = wiring.create_queue("mine", private_to=connection, now=0.0)
    wiring.register(private, "names", "mine")
    (message,) = send(wiring, "x", to="mine")
    wiring.disconnect(connection, 1.0)
    assert (list(wiring.queues.values()), private.destroyed, connection.private) == ([shared], True, {})
    assert (message.references, connection.ledgers) == (0, {})


def test_a_private_queue_that_is_destroyed_before_is_forgotten() -> None:
    wiring = Wiring()
    connection = wiring.connect("client")
    wiring.destroy_queue(wiring.create_queue(private_to=connection, now=0.0))
    assert connection.private == {}


def test_all_its_ledgers_are_closed_and_what_was_in_hand_goes_back() -> None:
    wiring, queue = wired()
    connection = wiring.connect("client")
    for name in "ab":
        wiring.consume(connection.open_ledger(), queue, name, prefetch=1, now=0.0)
    send(wiring, "1", "2", "3")
    deliver(wiring)
    wiring.disconnect(connection, 1.0)
    assert (ready(queue), queue.held) == (["1", "2", "3"], 0)
    assert (queue.dispatch.consumers, queue.dispatch.holders) == ({}, {})


def test_other_connections_are_left_alone() -> None:
    wiring, queue = wired()
    stays = consume(wiring, queue, "stays")
    wiring.disconnect(open_ledger(wiring).connection, 1.0)
    send(wiring, "1")
    assert deliver(wiring) == [("stays", "1")]
    assert list(stays.ledger.connection.ledgers) == [stays.ledger]
