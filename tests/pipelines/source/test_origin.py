from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting, NotConnected, UnknownQueue
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source import origin
from penstock.pipelines.source.origin import check_origin, open_origin
from penstock.pipelines.source.penstock_taking import PenstockTaking
from penstock.pipelines.source.spool_taking import SpoolTaking
from tests.pipelines.source.takings import MemoryTaking
from tests.servers.running import free_port

if TYPE_CHECKING:
    from pathlib import Path


def options(**more: str) -> SourceOptions:
    return SourceOptions.read({"url": "amqp://127.0.0.1:1", "queue": "a/b", "reader": "r", **more})


def test_a_spool_is_asked_for_by_its_folder_and_has_one_for_each_queue_and_reader(tmp_path: Path) -> None:
    assert isinstance(open_origin(options()), PenstockTaking)
    spooled = open_origin(options(spool=str(tmp_path)))
    assert isinstance(spooled, SpoolTaking)
    assert str(tmp_path / "a%2Fb" / "r") in repr(spooled)


def test_a_beanstalk_server_is_read_by_way_of_a_spool(tmp_path: Path) -> None:
    url = f"beanstalk://127.0.0.1:{free_port()}"
    with pytest.raises(BadSetting, match="by way of a folder: set the option spool"):
        open_origin(options(url=url))
    spooled = open_origin(options(url=url, spool=str(tmp_path)))
    assert isinstance(spooled, SpoolTaking)
    with pytest.raises(NotConnected, match=url):
        check_origin(options(url=url, queue="tube", spool=str(tmp_path)))
    with pytest.raises(UnknownQueue, match="no tube can be called 'a b'"):
        check_origin(options(url=url, queue="a b", spool=str(tmp_path)))


def test_a_queue_that_can_be_read_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    taking = MemoryTaking(3)
    monkeypatch.setattr(origin, "open_origin", lambda _: taking)
    check_origin(options())
    assert (taking.waiting, taking.taken, taking.is_closed) == (3, 0, True)


def test_who_is_not_reached_may_be_another_broker() -> None:
    with pytest.raises(NotConnected, match="set the option spool"):
        check_origin(options())
