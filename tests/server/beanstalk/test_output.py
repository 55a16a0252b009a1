from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.beanstalk import output

if TYPE_CHECKING:
    import pytest

    from tests.server.beanstalk.talk import Client, World


def test_all_replies_of_a_read_leave_in_one_write(client: Client) -> None:
    client.world.run(
        lambda: client.session.data_received(
            b"put 0 0 9 1\r\nx\r\n" * 3 + b"reserve\r\n" * 3 + b"delete 2\r\n"
        )
    )
    (written,) = client.wire.written
    assert written.count(b"\r\n") == 3 + 6 + 1


def test_a_durable_job_is_told_when_it_is_on_disk(durable: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client, other = durable.worker(), durable.worker()
    monkeypatch.setattr(durable.broker.writer, "start", lambda: None)
    assert client.say("put 0 0 60 1", "x", "list-tube-used") == ""
    # Others need not wait for it.
    assert other.say("reserve") == "RESERVED 1 1\r\nx"
    assert other.say("delete 1") == ""
    monkeypatch.undo()
    durable.run(durable.broker.turn)
    durable.until(lambda: client.wire.written and other.wire.written)
    assert client.hear() == b"INSERTED 1\r\nUSING default\r\n"
    assert other.hear() == b"DELETED\r\n"


def test_who_leaves_after_a_durable_put_hears_of_it_first(
    durable: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = durable.worker()
    monkeypatch.setattr(durable.broker.writer, "start", lambda: None)
    client.say("put 0 0 60 1", "x", "quit")
    assert not client.wire.is_over
    monkeypatch.undo()
    durable.run(durable.broker.turn)
    durable.until(lambda: client.wire.is_over)
    assert client.hear() == b"INSERTED 1\r\n"


def test_while_too_much_waits_for_the_disk_nothing_more_is_done(
    durable: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "REPLIES_MOST", 100)
    client = durable.worker()
    with monkeypatch.context() as stopped:
        stopped.setattr(durable.broker.writer, "start", lambda: None)
        for _ in range(20):
            client.say("put 0 0 60 1", "x")
        assert 5 < durable.queue().ready < 15
    durable.run(durable.broker.turn)
    durable.until(lambda: b"".join(client.wire.written).count(b"INSERTED") == 20)
