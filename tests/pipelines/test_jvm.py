from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from penstock.errors import SparkUnavailable
from penstock.pipelines.java import Java
from penstock.pipelines.jvm import (
    Connection,
    Jvm,
    class_path,
    command,
    launcher_command,
    options_for,
    spark_home,
)

#: Tells where it listens as Spark's Java does, and ends with its standard input.
ANSWERS = """
import os, struct, sys
path = os.environ["_PYSPARK_DRIVER_CONN_INFO_PATH"]
open(path + "~", "wb").write(struct.pack(">ii", 4711, 6) + b"secret")
os.rename(path + "~", path)
sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("b.jar", "a.jar", "readme.txt"):
        (tmp_path / "jars" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "jars" / name).touch()
    return tmp_path


def test_jars_come_in_one_order_and_the_users_last(home: Path) -> None:
    settings = {"spark.jars": "/x.jar,/y.jar", "spark.driver.extraClassPath": "/z/*"}
    jars = [f"{home}/jars/a.jar", f"{home}/jars/b.jar"]
    assert class_path(home, {}) == os.pathsep.join(jars)
    assert class_path(home, settings) == os.pathsep.join([*jars, "/x.jar", "/y.jar", "/z/*"])


def test_java_is_told_its_memory_and_what_the_user_says_last(home: Path) -> None:
    words = command(
        Java(home=Path("/home"), program=Path("/java"), version="17.0.1", place="PATH"),
        home,
        memory="2g",
        options=["-ours"],
        settings={"spark.driver.extraJavaOptions": "-theirs '-D a=b'"},
    )
    assert words[0] == "/java"
    assert "-Xmx2g" in words
    assert words[-4:] == ["-ours", "-theirs", "-D a=b", "org.apache.spark.api.python.PythonGatewayServer"]
    assert not any("incubator" in word for word in words)


def test_a_package_that_went_away_is_not_opened() -> None:
    gone = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
    assert (gone in options_for("17.0.1"), gone in options_for("25")) == (True, False)
    assert "--add-opens=java.base/java.nio=ALL-UNNAMED" in options_for("25")


def test_the_launcher_is_told_everything_as_settings(home: Path) -> None:
    settings = {"spark.master": "yarn", "spark.driver.extraJavaOptions": "-theirs"}
    words = launcher_command(home, memory="2g", options=["-a b"], settings=settings)
    assert words == [
        f"{home}/bin/spark-submit",
        *("--conf", "spark.master=yarn"),
        *("--conf", "spark.driver.extraJavaOptions='-a b' -theirs"),
        *("--conf", "spark.driver.memory=2g"),
        "pyspark-shell",
    ]


def test_spark_is_found_by_variable_or_as_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert (spark_home() / "jars").is_dir()
    monkeypatch.setenv("SPARK_HOME", "/elsewhere")
    assert spark_home() == Path("/elsewhere")


def test_without_spark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SparkUnavailable, match=r"pip install 'penstock\[spark\]'"):
        spark_home()


def test_it_tells_where_it_listens_and_ends_when_it_is_let_go(tmp_path: Path) -> None:
    jvm = Jvm([sys.executable, "-c", ANSWERS], folder=tmp_path)
    assert jvm.connection() == Connection(port=4711, secret="secret")  # noqa: S106 (the stand-in's)
    assert repr(jvm) == f"<Jvm {jvm.pid} up>"
    jvm.end()
    assert repr(jvm) == f"<Jvm {jvm.pid} ended>"
    jvm.end()


def test_one_that_does_not_want_to_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.pipelines.jvm.DOWN_WITHIN_S", 0.1)
    jvm = Jvm([sys.executable, "-c", "import time; time.sleep(600)"], folder=tmp_path)
    jvm.end()
    assert repr(jvm) == f"<Jvm {jvm.pid} ended>"


def test_one_that_ends_before_it_answers_is_an_error(tmp_path: Path) -> None:
    jvm = Jvm([sys.executable, "-c", "raise SystemExit(3)"], folder=tmp_path)
    with pytest.raises(SparkUnavailable, match="Java ended with 3"):
        jvm.connection()
    jvm.end()


def test_one_that_never_answers_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.pipelines.jvm.UP_WITHIN_S", 0.05)
    jvm = Jvm([sys.executable, "-c", "import sys; sys.stdin.read()"], folder=tmp_path)
    with pytest.raises(SparkUnavailable, match="has not answered"):
        jvm.connection()
    jvm.end()
