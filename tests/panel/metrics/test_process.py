"""What is told of the process and the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock import __version__
from penstock.panel.metrics import process as module
from penstock.panel.metrics.process import process
from penstock.settings import Settings
from tests.panel.metrics.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_memory_files_disk_and_time(tmp_path: Path) -> None:
    told = read(process(Settings(data=tmp_path), "here", 12.5))
    assert told["rabbitmq_erlang_uptime_seconds",] == 12.5
    assert told["rabbitmq_disk_space_available_bytes",] > 0
    assert 0 < told["rabbitmq_process_open_fds",] < told["rabbitmq_process_max_fds",]
    assert told["rabbitmq_build_info", "Penstock", __version__, __version__] == 1
    assert told["rabbitmq_identity_info", "here", "here"] == 1


def test_what_the_system_does_not_tell_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILES", tmp_path / "nowhere")
    told = read(process(Settings(), "here", 0.0))
    assert ("rabbitmq_process_open_fds",) not in told
    assert ("rabbitmq_disk_space_available_bytes",) not in told
