from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from penstock.pipelines.configuration import PRELOADED
from penstock.pipelines.forking import leaving_quietly, preload

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


def test_a_worker_on_whom_spark_has_hung_up_leaves_without_a_word() -> None:
    def worker(_sock: object, _authenticated: object) -> int:
        raise BrokenPipeError

    assert leaving_quietly(worker)(None, None)


def test_what_a_worker_says_otherwise_stays() -> None:
    assert leaving_quietly(lambda *_: 0)(None, None) == 0
