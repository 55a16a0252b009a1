"""The desk alone: what executors do is done here, and a batch is a list of rows."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.observing import Settling
from penstock.did.observing.hurrying import make_durable
from penstock.did.observing.taken import COLUMNS
from penstock.errors import BadKey
from penstock.pipelines.did.observing import desk
from tests.did.observing.helpers import forged
from tests.did.observing.served import new_places, served
from tests.pipelines.did.observing.node import Node
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.servers.running import Running


class Batch:
    """Messages, as Spark hands them over."""

    sparkSession = None  # noqa: N815 (Spark's name)

    def __init__(self, *bodies: bytes) -> None:
        self._rows = [
            dict.fromkeys(COLUMNS) | {"position": place, "body": body} for place, body in enumerate(bodies)
        ]

    def collect(self) -> list[Any]:
        return [type("Row", (), {"asDict": lambda _, row=row: row})() for row in reversed(self._rows)]


def test_messages_that_say_the_same_are_one_task_and_each_is_settled(
    tmp_path: Path,
    penstock_server: Running,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    tasks: list[Any] = []

    def spread(_: Any, work: Callable[..., Any], told: Sequence[Any], *, pieces: int) -> list[Any]:
        assert pieces == 0
        tasks.extend(told)
        return list(work(told))

    monkeypatch.setattr(desk, "spread", spread)
    (tmp_path / "me").mkdir()
    places = new_places(tmp_path / "me", broker=penstock_server.url, word=name)
    node = Node(places, tmp_path)
    with served(tmp_path / "author") as author, desk.ObserverDesk(places) as opened:
        alice, bob = Life("alice"), Life("bob")
        before = str(author.anchor(alice.create(), bob.create()))
        link = author.anchor_unjudged(alice.update(), forged(bob.update()), at=NOW + 1)
        told = b'{"hashLink":"%s"}' % str(link).encode()
        with caplog.at_level(logging.INFO, desk.__name__):
            opened.observe("anchor", Batch(told, b"nonsense", told))  # type: ignore[arg-type]
    assert [task.hash_link for task in tasks] == [str(link)]
    assert len(node.operations(alice.suffix)) == 1
    assert "1 anchors observed, 1 operations" in caplog.text
    assert caplog.text.count(f"an operation of {bob.suffix}") == 1
    (dead,) = node.taken("dead-letters")
    assert dead.body == b"nonsense"
    # The one before it was told by nobody, and is asked for.
    (parent,) = node.taken("anchor")
    assert parent.body == b'{"hashLink":"%s"}' % before.encode()
    assert len(node.posted()) == 1
    node.close()


def test_dids_that_anybody_asks_for_are_looked_for_by_one_core(
    tmp_path: Path, penstock_server: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def spread(_: Any, work: Callable[..., Any], told: Sequence[Any], *, pieces: int) -> list[Any]:
        asked.append(pieces)
        return list(work(told))

    monkeypatch.setattr(desk, "spread", spread)
    with desk.ObserverDesk(new_places(tmp_path, broker=penstock_server.url, word=name)) as opened:
        opened.observe("did", Batch(b'"did:orb:uAAA:x"'))  # type: ignore[arg-type]
    assert asked == [1]


def test_a_domain_that_cannot_be_opened_is_told_at_once(tmp_path: Path) -> None:
    places = new_places(tmp_path)
    (tmp_path / "key.pem").unlink()
    with pytest.raises(BadKey), desk.ObserverDesk(places):
        pass


def test_what_executors_have_stored_is_on_disk_before_it_is_settled(
    tmp_path: Path, penstock_server: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def noted(word: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def do(*values: Any, **named: Any) -> Any:
            done.append(word)
            return work(*values, **named)

        return do

    monkeypatch.setattr(desk, "spread", lambda _, work, told, **_pieces: list(work(told)))
    monkeypatch.setattr(desk, "make_durable", noted("durable", make_durable))
    monkeypatch.setattr(Settling, "settle", noted("settled", Settling.settle))
    places = new_places(tmp_path, broker=penstock_server.url, word=name)
    with served(tmp_path / "author") as author, desk.ObserverDesk(places) as opened:
        told = b'{"hashLink":"%s"}' % str(author.anchor(Life("alice").create())).encode()
        # The second time it is known: whoever has stored it may have died before it was durable.
        for body in (told, told, b"nonsense"):
            opened.observe("anchor", Batch(body))  # type: ignore[arg-type]
    assert done == ["durable", "settled", "durable", "settled", "settled"]
