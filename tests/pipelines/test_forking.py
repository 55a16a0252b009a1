from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from penstock.pipelines.configuration import PRELOADED
from penstock.pipelines.forking import preload

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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
