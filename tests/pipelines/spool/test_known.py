from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.spool import known
from penstock.pipelines.spool.seen import key_of
from penstock.pipelines.spool.spool import Spool
from penstock.wire.amqp import BasicProperties
from tests.pipelines.spool.letters import Letter, letters

if TYPE_CHECKING:
    from pathlib import Path


def segment_of(folder: Path, *some: Letter) -> Path:
    spool = Spool(folder)
    spool.lock("a test")
    spool.append(some, 0.0)
    spool.close()
    return max(folder.glob("*.segment"))


def test_a_retired_segment_leaves_its_keys(tmp_path: Path) -> None:
    path = segment_of(tmp_path, *letters(1, 2), Letter(b"without an id"))

    known.retire(path, 3)

    assert not path.exists()
    assert list(known.keys(tmp_path)) == [[key_of("l1", b"letter 1"), key_of("l2", b"letter 2")]]


def test_ids_may_be_any_bytes(tmp_path: Path) -> None:
    odd = "\udcff\n"
    path = segment_of(tmp_path, Letter(b"x", BasicProperties.of(message_id=odd)))

    known.retire(path, 1)

    assert list(known.keys(tmp_path)) == [[key_of(odd, b"x")]]


def test_a_segment_without_ids_leaves_nothing_to_know(tmp_path: Path) -> None:
    known.retire(segment_of(tmp_path, Letter(b"x")), 1)

    assert list(known.keys(tmp_path)) == [[]]
