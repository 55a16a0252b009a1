from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.cli.worker_order import CHILD, SCHEDULES, URL, Order, load_routes
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from pathlib import Path

ORDER = Order(
    routes="game:routes",
    queues=("bg_building", "bg_fleet"),
    url="amqp://anne:secret@localhost/",
    schedules=None,
    concurrency=50,
    prefetch=2,
    cpu_processes=3,
    time_limit=0.5,
)


def test_another_process_is_told_the_same_and_secrets_are_not_on_its_command_line() -> None:
    assert ORDER.arguments[:5] == [sys.executable, "-m", "penstock", "worker", "game:routes"]
    assert " ".join(ORDER.arguments[5:9]) == "--queue bg_building --queue bg_fleet"
    assert " ".join(ORDER.arguments[9:]) == (
        "--concurrency 50 --prefetch 2 --cpu-processes 3 --time-limit 0.5"
    )
    assert ORDER.environment == {URL: ORDER.url, CHILD: str(os.getpid())}
    assert replace(ORDER, url=None, schedules="sqlite://").environment.keys() == {SCHEDULES, CHILD}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("game", "routes are named like game.jobs:routes"),
        (":routes", "routes are named like"),
        ("nowhere_at_all:routes", "there is no module 'nowhere_at_all'"),
        ("module_worker_order:paths", "has no routes 'paths'; there is building"),
    ],
)
def test_routes_that_are_not_there_are_told(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    module = "from penstock.workers import Routes\nbuilding = Routes()\n"
    (tmp_path / "module_worker_order.py").write_text(module)
    try:
        with pytest.raises(BadSetting, match=why):
            load_routes(text)
        assert repr(load_routes("module_worker_order:building")) == "<Routes none yet>"
    finally:
        sys.modules.pop("module_worker_order", None)
