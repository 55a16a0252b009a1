from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client.beanstalk import OutgoingJob, connect
from penstock.errors import LoginRefused, NotConnected, UnknownQueue
from penstock.messaging import Message
from penstock.messaging.beanstalk.envelope import job_body
from penstock.pipelines.spool import gathering
from penstock.pipelines.spool.beanstalk import BeanstalkFeed, check
from penstock.pipelines.spool.rows import new_rows
from penstock.pipelines.spool.seen import Seen
from penstock.pipelines.spool.spool import Spool
from penstock.wire.amqp.content import bodies_of, properties_of
from tests.faults.proxy import Proxy, Weather
from tests.pipelines.queues import until
from tests.servers import beanstalkd
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.pipelines.spool.lot import Lot
    from tests.servers.running import Running


def put(url: str, tube: str, *bodies: bytes, **terms: Any) -> None:
    async def story() -> None:
        async with await connect(url) as client:
            outcome = await client.put_many([OutgoingJob(tube, body, **terms) for body in bodies])
            assert set(outcome) == {None}

    asyncio.run(story())


def next_of(feed: BeanstalkFeed) -> Lot:
    lot = feed.next(60.0)
    assert lot is not None
    return lot


def keys_of(lot: Lot) -> list[bytes]:
    return new_rows(lot, Seen(), 1, 0.0).keys


def test_jobs_come_in_order_and_go_when_they_are_acknowledged(tube_server: Running, name: str) -> None:
    put(tube_server.url, name, *(b"%d" % number for number in range(300)))
    feed = BeanstalkFeed(tube_server.url, name)
    assert feed.waited == 300

    got = [next_of(feed)]
    while sum(map(len, got)) < 300:
        got.append(next_of(feed))
    assert [body for lot in got for body in bodies_of(lot.frames)] == [b"%d" % n for n in range(300)]
    assert len({key for lot in got for key in keys_of(lot)}) == 300
    assert feed.left() == 300  # in hand
    for lot in got:
        feed.ack(lot)
    until(lambda: not feed.left())
    assert feed.next(0.01) is None
    assert name in repr(feed)
    feed.close()


def test_who_asks_what_is_left_and_hears_that_nothing_waits_gets_what_was_gathered(
    tube_server: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "FLOOD", 1)
    monkeypatch.setattr(gathering, "MORE_IN", math.inf)
    put(tube_server.url, name, b"x")
    feed = BeanstalkFeed(tube_server.url, name)
    # It may be at the broker, or on the line, when it is asked for the first time.
    until(lambda: feed.left() >= 0 and feed.next(0.1) is not None)
    feed.close()


def test_a_server_that_goes_away_is_told(tube_server: Running, name: str) -> None:
    with Proxy(tube_server.port) as proxy:
        feed = BeanstalkFeed(tube_server.url.replace(str(tube_server.port), str(proxy.port)), name)
        proxy.turn(Weather.CUT)
        with pytest.raises(NotConnected, match=f"nothing comes from tube '{name}' at beanstalk://"):
            until(lambda: feed.next(0.1) is not None)
        with pytest.raises(NotConnected, match="the connection was lost"):
            feed.left()
        feed.close()


def test_what_is_not_acknowledged_comes_again_and_is_known(tube_server: Running, name: str) -> None:
    put(tube_server.url, name, b"x")
    first = BeanstalkFeed(tube_server.url, name)
    lot = next_of(first)
    assert (bodies_of(lot.frames), list(lot.redelivered)) == ([b"x"], [False])  # type: ignore[arg-type]
    first.close()

    second = BeanstalkFeed(tube_server.url, name)
    again = next_of(second)
    assert (bodies_of(again.frames), list(again.redelivered)) == ([b"x"], [True])  # type: ignore[arg-type]
    assert keys_of(again) == keys_of(lot)
    second.ack(again)
    until(lambda: not second.left())
    second.close()


def test_what_was_spooled_and_not_deleted_before_a_crash_is_not_spooled_again(
    beanstalkd_server: Running, name: str, tmp_path: Path
) -> None:
    url = beanstalkd_server.url
    put(url, name, b"tick", b"tick", b"tock")
    for life in ("first", "second"):
        # Given a spool that has brought the jobs to disk
        spool, feed = Spool(tmp_path), BeanstalkFeed(url, name)
        spool.lock(life)
        got: list[Lot] = []
        while sum(map(len, got)) < 3:
            got.append(next_of(feed))
            spool.append(got[-1], 0.0)
        assert (spool.taken, spool.repeated) == (3, 0 if life == "first" else 3)
        if life == "second":
            for lot in got:
                feed.ack(lot)
            until(lambda: not feed.left())  # noqa: B023 (called at once)
        # When it dies before they are deleted, then they come again, and are known
        feed.close()
        spool.close()


def test_a_job_with_an_envelope_is_the_message_that_it_is(beanstalkd_server: Running, name: str) -> None:
    message = Message(body=b'{"a":1}', id="i1", type="Bill", headers={"tenant": "t1"}, correlation_id="c")
    put(beanstalkd_server.url, name, job_body(message, 0.0), b"plain", priority=1024)
    feed = BeanstalkFeed(beanstalkd_server.url, name)
    frames: list[bytes] = []
    while len(frames) < 2:
        lot = next_of(feed)
        frames += lot.frames
        feed.ack(lot)
    until(lambda: not feed.left())
    feed.close()
    ours, plain = (properties_of(each).as_dict() for each in frames)
    assert bodies_of(frames) == [b'{"a":1}', b"plain"]
    assert (ours["message_id"], ours["type"], ours["correlation_id"]) == ("i1", "Bill", "c")
    assert (ours["headers"] or {})["tenant"] == "t1"
    assert plain["headers"] == {"x-beanstalk-priority": 1024}
    assert "content_type" not in plain
    server, _, number = (plain["message_id"] or "").partition("-")
    assert (len(server), number.isdecimal()) == (16, True)


def test_an_envelope_that_says_what_no_message_can_is_part_of_the_body(
    beanstalkd_server: Running, name: str
) -> None:
    jobs = [
        b'{"penstock":{"v":1,"id":"%b"}}\nx' % (b"i" * 300),
        b'{"penstock":{"v":1,"type":"\\ud800"}}\nx',
        b'{"penstock":{"v":1,"headers":{"a":%d}}}\nx' % 2**80,
    ]
    put(beanstalkd_server.url, name, *jobs)
    feed = BeanstalkFeed(beanstalkd_server.url, name)
    bodies: list[bytes] = []
    while len(bodies) < len(jobs):
        lot = next_of(feed)
        bodies += bodies_of(lot.frames)
        feed.ack(lot)
    assert bodies == jobs
    until(lambda: not feed.left())
    feed.close()


def test_a_server_that_counts_from_1_again_is_not_taken_for_the_one_before(
    real_program: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    keys: list[bytes] = []
    for life in ("first", "second"):
        (tmp_path / life).mkdir()
        server = beanstalkd.start(real_program("beanstalkd"), tmp_path / life)
        put(server.url, name, b"tick")
        feed = BeanstalkFeed(server.url, name)
        keys += keys_of(next_of(feed))
        feed.close()
        server.end()
    assert len(set(keys)) == 2, "the same number and the same body, and another job"


def test_what_cannot_be_is_told(beanstalkd_server: Running, name: str) -> None:
    check(beanstalkd_server.url, name)
    with pytest.raises(UnknownQueue, match="no tube can be called 'räume' at beanstalk://127"):
        check(beanstalkd_server.url, "räume")
    with pytest.raises(UnknownQueue):
        BeanstalkFeed(beanstalkd_server.url, "räume")
    with pytest.raises(LoginRefused):
        BeanstalkFeed(beanstalkd_server.url.replace("//", "//me:sesame@"), name)
    with pytest.raises(NotConnected):
        check(f"beanstalk://127.0.0.1:{free_port()}", name)
