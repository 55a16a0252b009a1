from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.pipelines.configuration import PRELOADED
from penstock.pipelines.forking import THREADLESS, preload

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has libraries start no threads is meant for the process that forks, and not for other tests."""
    for name, value in THREADLESS.items():
        monkeypatch.setenv(name, value)


def test_what_the_environment_names_is_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("preloaded_one", "preloaded_two"):
        (tmp_path / f"{name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(PRELOADED, "preloaded_one,preloaded_two")
    try:
        preload()
    finally:
        gc.unfreeze()
    assert {"preloaded_one", "preloaded_two"} <= sys.modules.keys()


def test_without_names_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PRELOADED, raising=False)
    before = set(sys.modules)
    try:
        preload()
    finally:
        gc.unfreeze()
    assert set(sys.modules) == before
