from __future__ import annotations

import os

import pytest

from penstock.errors import UnknownQueue
from penstock.pipelines.source.seam import plainly


def test_our_errors_hide_the_path_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")

    with pytest.raises(UnknownQueue), plainly():
        raise UnknownQueue("no queue")
    assert os.environ["SPARK_HIDE_TRACEBACK"] == "1"


def test_mistakes_in_the_program_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")

    with pytest.raises(ZeroDivisionError), plainly():
        _ = 1 // 0
    assert not os.environ["SPARK_HIDE_TRACEBACK"]
