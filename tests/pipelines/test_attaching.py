from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from pyspark import SparkContext

from penstock.pipelines import attaching
from penstock.pipelines.attaching import Session, attach, forget_paths
from penstock.pipelines.jvm import Connection

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_a_session_says_that_it_ends_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    ending = ExitStack()
    ending.callback(ended.append, "ended")
    monkeypatch.setattr(Session, "ending", ending)
    monkeypatch.setattr(Session, "owner", os.getpid())
    session = Session.__new__(Session)
    session.stop()
    session.stop()
    assert ended == ["ended"]


def test_a_forked_process_does_not_end_its_parents_session(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = ExitStack()
    ending.callback(pytest.fail, "it was ended")
    monkeypatch.setattr(Session, "ending", ending)
    monkeypatch.setattr(Session, "owner", os.getppid())
    Session.__new__(Session).stop()


def test_what_has_no_java_behind_it_leaves_pyspark_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        assert os.environ["PYSPARK_GATEWAY_PORT"] == "1"
        raise ConnectionRefusedError

    monkeypatch.setattr(attaching, "launch_gateway", refuse)
    before = signal.getsignal(signal.SIGINT)
    with ExitStack() as ending, pytest.raises(ConnectionRefusedError):
        attach(Connection(port=1, secret="secret"), {}, ending)  # noqa: S106 (nobody's)
    assert "PYSPARK_GATEWAY_PORT" not in os.environ
    assert signal.getsignal(signal.SIGINT) is before


def test_folders_that_go_are_no_longer_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = str(tmp_path / "other")
    monkeypatch.setattr(sys, "path", [kept, str(tmp_path / "gone" / "files"), f"{tmp_path}/gone/a.zip"])
    forget_paths(tmp_path / "gone")
    assert sys.path == [kept]


def test_a_new_session_of_the_same_java_is_one_of_ours(spark: SparkSession) -> None:
    other = spark.newSession()
    assert type(other) is type(spark) is Session
    assert other.sparkContext is spark.sparkContext is SparkContext._active_spark_context
