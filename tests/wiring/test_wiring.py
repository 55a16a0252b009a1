"""The wiring as a whole: in, out, clients coming and going, time."""

from __future__ import annotations

from math import inf

import pytest

from penstock.errors import AlreadyDifferent, ConstraintBroken, UnknownProxy
from penstock.wiring import DeadLetters, Message, Overflow, Terms, Wiring
from tests.wiring.support import (
    NAMES,
    add_home,
    add_queue,
    bodies,
    consume,
    deliver,
    open_ledger,
    photograph,
    ready,
    refused,
    send,
    wired,
)

# In


def test_one_message_stands_in_many_queues_by_reference() -> None:
    wiring, queue = wired()
    other = wiring.create_queue("other", now=0.0)
    wiring.register(other, NAMES, "q")
    message = Message(b"body", "q")
    assert wiring.publish(NAMES, [message], 0.0) == ([], [])
    assert (message.references, message.proxy) == (2, NAMES)
    assert next(queue.peek()).message is next(other.peek()).message is message


def test_what_nobody_asked_for_is_reported() -> None:
    wiring, queue = wired()
    lost, found = Message(b"lost", "nowhere"), Message(b"found", "q")
    for _ in range(2):  # the second time the way is known
        assert wiring.publish(NAMES, [lost, found], 0.0) == ([lost], [])
    assert (lost.references, queue.ready) == (0, 2)


@pytest.mark.parametrize("stacked", [False, True])
def test_what_does_not_fit_everywhere_is_reported_once_and_offered_everywhere(stacked: object) -> None:
    wiring, _ = wired(max_length=0, overflow=Overflow.REJECT_PUBLISH)
    full = wiring.create_queue("full", max_length=0, overflow=Overflow.REJECT_PUBLISH, now=0.0)
    free = wiring.create_queue("free", now=0.0)
    for queue in (full, free):
        wiring.register(queue, NAMES, "q")
    if stacked:
        wiring.stack(free, NAMES, "q")
    first, second = Message(b"1", "q"), Message(b"2", "q")
    assert wiring.publish(NAMES, [first, second], 0.0) == ([], [first, second])
    assert (ready(free), first.references) == (["1", "2"], 1)


def test_several_destinations_are_one_publish() -> None:
    wiring, queue = wired()
    other = add_queue(wiring, "other")
    (message,) = send(wiring, "x", also=("other", "q", "nowhere"))
    assert (ready(queue), ready(other), message.references) == (["x"], ["x"], 2)
    assert wiring.publish(NAMES, [Message(b"", "no", terms=Terms(also=("nor",)))], 0.0).unroutable


def test_a_proxy_takes_several_ways_from_one_batch_to_the_next() -> None:
    # The way straight to a queue is remembered; a stack, once there, must not be passed by.
    wiring, queue = wired()
    send(wiring, "straight")
    wiring.create_proxy("tests", "PROP-TEST")
    wiring.stack(queue, "tests", {"size": 1})
    published = wiring.publish(NAMES, [Message(b"blocked", "q"), Message(b"passes", "q", {"size": 1})], 0.0)
    assert [bytes(message.body) for message in published.unroutable] == [b"blocked"]
    wiring.destroy_proxy("tests")
    send(wiring, "straight again")
    assert ready(queue) == ["straight", "passes", "straight again"]


def test_what_chance_takes_is_neither_delivered_nor_reported() -> None:
    wiring = Wiring()
    wiring.create_proxy("line", "LOSSY", drop=1.0)
    wiring.register(wiring.create_queue("q", now=0.0), "line")
    message = Message(b"")
    assert wiring.publish("line", [message], 0.0) == ([], [])
    assert message.references == 0


def test_by_way_of_an_alternate_it_is_not_unroutable() -> None:
    wiring = Wiring()
    wiring.create_proxy(NAMES, "DEST-NAME", alternate="dead")
    home = add_home(wiring)
    assert wiring.publish(NAMES, [Message(b"x", "nobody")], 0.0) == ([], [])
    assert ready(home) == ["x"]


def test_an_unknown_proxy_takes_nothing() -> None:
    wiring, _ = wired()
    message = Message(b"", "q")
    with refused(wiring, UnknownProxy, "there is no proxy 'x': create it first"):
        wiring.publish("x", [message], 0.0)
    assert (message.references, message.proxy) == (0, "")


def test_an_internal_proxy_takes_messages_from_other_proxies_only() -> None:
    wiring, queue = wired()
    wiring.create_proxy("inside", "FANOUT", internal=True)
    wiring.register(queue, "inside")
    with refused(wiring, ConstraintBroken, "proxy 'inside' is internal: publish to one that leads to it"):
        wiring.publish("inside", [Message(b"")], 0.0)
    wiring.register(wiring.proxy("inside"), NAMES, "x")
    send(wiring, "x", to="x")
    assert ready(queue) == ["x"]


def test_nothing_at_all_may_be_published() -> None:
    wiring, _ = wired()
    assert wiring.publish(NAMES, [], 0.0) == ([], [])
    assert not wiring.busy


# Out


def test_a_consumers_name_is_its_own_on_a_ledger() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    consumer = wiring.consume(ledger, queue, "c", prefetch=1, now=0.0)
    with refused(wiring, AlreadyDifferent, "this ledger has a consumer 'c' already: choose another name"):
        wiring.consume(ledger, queue, "c", now=0.0)
    wiring.consume(open_ledger(wiring), queue, "c", now=0.0)
    wiring.cancel(consumer, now=0.0)
    wiring.consume(ledger, queue, "c", now=0.0)


def test_what_a_consumer_cannot_be_told_changes_nothing() -> None:
    wiring, queue = wired()
    before = photograph(wiring)
    with pytest.raises(TypeError, match="colour"):
        consume(wiring, queue, colour="red")
    assert photograph(wiring) == before


def test_to_stop_consuming_leaves_what_is_in_hand_to_be_settled() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, prefetch=1)
    send(wiring, "1", "2")
    deliver(wiring)
    wiring.cancel(consumer, now=0.0)
    assert (queue.held, queue.dispatch.consumers) == (1, {})
    consumer.ledger.nack(1, 0.0)
    assert (ready(queue), queue.held, deliver(wiring)) == (["1", "2"], 0, [])
    wiring.cancel(consumer, now=0.0)  # once is enough
    assert wiring.take_cancelled() == []  # who leaves by itself need not be told


def test_a_dynamic_queue_goes_with_its_last_consumer() -> None:
    wiring, queue = wired(dynamic=True)
    assert not queue.destroyed  # nobody has been there yet
    first, second = consume(wiring, queue), consume(wiring, queue)
    (message,) = send(wiring, "x")
    wiring.cancel(first, now=0.0)
    assert not queue.destroyed
    wiring.cancel(second, now=0.0)
    assert (queue.destroyed, wiring.queues, message.references) == (True, {}, 0)


def test_who_loses_its_queue_is_to_be_told_once() -> None:
    wiring, queue = wired()
    consumers = [consume(wiring, queue), consume(wiring, queue)]
    wiring.destroy_queue(queue)
    assert wiring.take_cancelled() == consumers
    assert wiring.take_cancelled() == []


def test_what_went_by_a_verb_or_by_itself_is_told_once() -> None:
    wiring, queue = wired(unused_in=5.0)
    wiring.create_proxy("news", "FANOUT", dynamic=True)
    news = wiring.proxy("news")
    wiring.register(queue, "news")
    wiring.tick(5.0)
    assert set(wiring.take_destroyed()) == {queue, news}
    assert wiring.take_destroyed() == []


def test_a_queue_destroyed_before_its_turn_delivers_nothing() -> None:
    wiring, queue = wired()
    consume(wiring, queue)
    send(wiring, "x")
    assert wiring.busy
    wiring.destroy_queue(queue)
    assert wiring.deliver(0.0) == []
    assert not wiring.busy


def test_only_queues_with_something_to_do_are_served() -> None:
    wiring, queue = wired()
    consume(wiring, queue)
    deliver(wiring)
    for number in range(10):
        add_queue(wiring, f"idle {number}")
    assert not wiring.busy
    send(wiring, "x")
    assert wiring._agenda.touched == [queue]


# Clients


def test_a_closed_ledger_gives_everything_back_in_order() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    consumers = [wiring.consume(ledger, queue, name, now=0.0) for name in "ab"]
    send(wiring, "1", "2", "3")
    deliver(wiring)
    send(wiring, "4", "5")
    queue.get(ledger, 0.0)
    wiring.close(ledger, 1.0, failed=False)
    assert ready(queue) == ["1", "2", "3", "4", "5"]
    assert {found.failed for found in queue.peek()} == {0}
    assert (queue.held, queue.dispatch.holders, queue.dispatch.consumers) == (0, {}, {})
    assert (ledger.consumers, ledger.getters, ledger.resting, ledger.unsettled) == ({}, {}, {}, {})
    assert (ledger.connection.ledgers, [consumer.cancelled for consumer in consumers]) == ({}, [True, True])


@pytest.mark.parametrize("whole", [True, False])
def test_a_lost_connection_or_channel_blames_its_consumers(whole: object) -> None:
    wiring, queue = wired()
    lost = consume(wiring, queue)
    send(wiring, "x")
    deliver(wiring)
    if whole:
        wiring.disconnect(lost.ledger.connection, 1.0)
    else:
        wiring.close(lost.ledger, 1.0)
    (found,) = queue.peek()
    assert (found.acquired, found.failed, found.redelivered) == (1, 1, 1)


def test_what_a_lost_consumer_had_goes_to_the_others() -> None:
    wiring, queue = wired()
    lost = consume(wiring, queue, "lost")
    send(wiring, "1", "2")
    deliver(wiring)
    consume(wiring, queue, "other")
    wiring.disconnect(lost.ledger.connection, 1.0)
    assert deliver(wiring) == [("other", "1"), ("other", "2")]


def test_a_temporary_queue_goes_with_its_client_and_everything_in_it() -> None:
    wiring, _ = wired()
    connection = wiring.connect("client")
    reply = wiring.create_queue(private_to=connection, now=0.0)
    wiring.register(reply, NAMES, reply.name)
    consumer = wiring.consume(connection.open_ledger(), reply, "me", now=0.0)
    messages = send(wiring, "held", to=reply.name)
    deliver(wiring)
    messages += send(wiring, "waiting", to=reply.name)
    wiring.disconnect(connection, 1.0)
    assert ([message.references for message in messages], reply.destroyed) == ([0, 0], True)
    assert wiring.publish(NAMES, [Message(b"", reply.name)], 1.0).unroutable
    assert (consumer.cancelled, wiring.take_cancelled()) == (True, [])


def test_nothing_is_left_behind_when_all_have_come_and_gone() -> None:
    wiring, _ = wired()
    before = photograph(wiring)
    for _ in range(100):
        connection = wiring.connect("client")
        queue = wiring.create_queue("t", private_to=connection, expires_in=50.0, lease_in=9.0, now=0.0)
        wiring.register(queue, NAMES, "t")
        wiring.consume(connection.open_ledger(), queue, "c", prefetch=1, now=0.0)
        messages = send(wiring, "1", "2", "3", to="t", group="g")
        deliver(wiring)
        wiring.disconnect(connection, 0.0)
        assert [message.references for message in messages] == [0, 0, 0]
    deliver(wiring)
    assert photograph(wiring) == before
    assert (len(wiring._agenda.deadlines._heap) <= 65, wiring.busy) == (True, False)


# Time


def test_with_nothing_to_do_it_need_never_be_called() -> None:
    assert Wiring().tick(0.0) == inf


def test_the_earliest_of_all_queues_is_told() -> None:
    wiring, _ = wired()
    add_queue(wiring, "lease", lease_in=7.0)
    consume(wiring, wiring.queue("lease"))
    send(wiring, "leased", to="lease")
    send(wiring, "delayed", delay_in=9.0)
    add_queue(wiring, "ttl", expires_in=5.0)
    send(wiring, "mortal", to="ttl")
    deliver(wiring)
    told = []
    for now in (0.0, 5.0, 7.0, 9.0):
        told.append(wiring.tick(now))
        while wiring.busy:
            wiring.deliver(now)
    assert told == [5.0, 5.0, 7.0, 9.0]  # the last three: there is something to deliver now


def test_called_too_early_or_too_often_it_does_nothing() -> None:
    wiring, queue = wired()
    send(wiring, "x", delay_in=9.0)
    deliver(wiring)
    before = photograph(wiring)
    assert [wiring.tick(now) for now in (0.0, 3.0, 3.0, 8.9)] == [9.0] * 4
    assert photograph(wiring) == before
    assert queue.ready == 0


def test_called_late_it_does_all_that_is_overdue() -> None:
    wiring, queue = wired(dead_letters=DeadLetters("dead"))
    home = add_home(wiring)
    for span in (1.0, 2.0, 3.0):
        send(wiring, f"delayed {span}", delay_in=span)
        send(wiring, f"mortal {span}", expires_in=span)
    wiring.tick(1000.0)
    assert ready(queue) == ["delayed 1.0", "delayed 2.0", "delayed 3.0"]
    assert ready(home) == ["mortal 1.0", "mortal 2.0", "mortal 3.0"]


def test_after_a_tick_that_made_something_ready_it_is_delivered() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "c")
    send(wiring, "x", delay_in=5.0)
    assert deliver(wiring) == []
    assert wiring.tick(5.0) == 5.0
    assert deliver(wiring, 5.0) == [("c", "x")]
    assert wiring.tick(5.0) == inf


# Dead letters


def test_letters_are_delivered_in_the_same_turn_they_are_written() -> None:
    wiring, queue = wired(dead_letters=DeadLetters("dead"))
    consume(wiring, add_home(wiring), "undertaker")
    consumer = consume(wiring, queue, "c")
    send(wiring, "x")
    deliver(wiring)
    consumer.ledger.reject(1, 0.0)
    assert [(c.name, bodies(found)) for c, _, found in wiring.deliver(0.0)] == [("undertaker", ["x"])]


def test_a_home_may_be_stacked_and_lead_to_many() -> None:
    wiring, _ = wired(expires_in=1.0, dead_letters=DeadLetters("dead"))
    home = add_home(wiring)
    other = wiring.create_queue("other graves", now=0.0)
    wiring.register(other, "dead")
    wiring.create_proxy("tests", "PROP-TEST")
    wiring.stack(home, "tests", {"size": 1})
    (message,) = send(wiring, "x")
    wiring.tick(1.0)
    assert (ready(home), ready(other), message.references) == ([], ["x"], 0)
    assert next(other.peek()).message.references == 1


def test_letters_that_find_no_home_are_counted_by_what_cut_their_way() -> None:
    wiring, queue = wired(expires_in=1.0)
    for number, home in enumerate((None, DeadLetters("gone"), DeadLetters(NAMES, "no"), DeadLetters(NAMES))):
        other = wiring.create_queue(f"{number}", expires_in=1.0, dead_letters=home, now=0.0)
        wiring.register(other, NAMES, "q")
    wiring.destroy_queue(queue)
    (message,) = send(wiring, "x")
    wiring.tick(1.0)
    # The last comes back to the other three and itself, which is a cycle for itself only.
    assert +wiring.dropped == {"expired": 2, "unroutable": 1, "cycle": 1}
    assert message.references == 0


def test_a_home_without_room_counts_what_it_refuses() -> None:
    wiring, _ = wired(expires_in=1.0, dead_letters=DeadLetters(NAMES, "full"))
    add_queue(wiring, "full", max_length=1, overflow=Overflow.REJECT_PUBLISH)
    send(wiring, "1", "2", "3")
    wiring.tick(1.0)
    assert +wiring.dropped == {"refused": 2}


def test_a_queue_that_nobody_uses_goes() -> None:
    wiring, queue = wired(unused_in=5.0)
    wiring.tick(5.0)
    assert (queue.destroyed, wiring.queues) == (True, {})


# Looking


def test_explain_tells_the_way_of_a_message() -> None:
    wiring, _ = wired()
    assert wiring.explain(NAMES, Message(b"", "q")).queues == ["q"]
    with refused(wiring, UnknownProxy):
        wiring.explain("x", Message(b""))


def test_a_message_is_placed_in_one_queue_and_its_place_is_told() -> None:
    wiring, queue = wired(max_length=1, overflow=Overflow.REJECT_PUBLISH)
    one, two = Message(b"one", "q"), Message(b"two", "q")
    place = wiring.place(queue, one, 0.0)
    assert place is not None
    assert (place.message, one.references, wiring.published) == (one, 1, 1)
    assert (wiring.place(queue, two, 0.0), two.references) == (None, 0)


def test_what_a_stage_does_not_let_pass_has_no_place() -> None:
    wiring, queue = wired()
    wiring.create_proxy("all gone", "LOSSY", drop=1.0)
    wiring.stack(queue, "all gone")
    message = Message(b"x", "q")
    assert (wiring.place(queue, message, 0.0), message.references) == (None, 0)
