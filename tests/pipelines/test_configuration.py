from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.errors import BadSetting
from penstock.pipelines.configuration import (
    check,
    cores,
    is_configured,
    is_local,
    is_on_this_machine,
    masters,
    needs_launcher,
    settings_for,
)

WORKSPACE = Path("/there")


@pytest.mark.parametrize(
    ("master", "local", "here", "at_once"),
    [
        ("local", True, True, 1),
        ("local[2]", True, True, 2),
        ("local[*]", True, True, os.cpu_count()),
        ("local[4,2]", True, True, 4),
        ("local-cluster[2,1,1024]", False, True, 1),
        ("spark://127.0.0.1:7077", False, True, 1),
        ("spark://localhost:7077", False, True, 1),
        ("spark://localhost.example.org:7077", False, False, 1),
        ("spark://cluster:7077", False, False, 1),
        ("yarn", False, False, 1),
    ],
)
def test_a_master_tells_where_it_runs(master: str, local: bool, here: bool, at_once: int) -> None:  # noqa: FBT001 (columns of the table)
    assert (is_local(master), is_on_this_machine(master), cores(master)) == (local, here, at_once)


def test_a_local_session_keeps_to_itself() -> None:
    settings = settings_for("orders", "local[3]", WORKSPACE, {})
    assert settings["spark.local.dir"] == "/there/local"
    assert settings["spark.driver.host"] == "127.0.0.1"
    assert settings["spark.sql.shuffle.partitions"] == "3"
    assert settings["spark.ui.enabled"] == "false"


def test_a_cluster_elsewhere_must_find_the_driver() -> None:
    settings = settings_for("orders", "spark://cluster:7077", WORKSPACE, {})
    assert "spark.driver.host" not in settings
    assert "spark.sql.shuffle.partitions" not in settings


def test_what_is_given_overrules() -> None:
    given = {"spark.ui.enabled": "true", "spark.app.name": "mine", "spark.more": "1"}
    settings = settings_for("orders", "local", WORKSPACE, given)
    assert given.items() <= settings.items()


@pytest.mark.parametrize(
    ("master", "settings", "expected"),
    [
        ("local[2]", {}, False),
        ("spark://cluster:7077", {"spark.jars": "/a.jar"}, False),
        ("local[2]", {"spark.jars.packages": "org:name:1"}, True),
        ("yarn", {}, True),
        ("k8s://https://host", {}, True),
    ],
)
def test_the_launcher_is_asked_for_what_only_it_can_do(
    master: str,
    settings: dict[str, str],
    expected: bool,  # noqa: FBT001 (a column of the table)
) -> None:
    assert needs_launcher(master, settings) is expected


def test_files_that_configure_spark_are_seen(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "spark", tmp_path / "etc"
    assert not is_configured(home, {"SPARK_CONF_DIR": str(elsewhere)})
    elsewhere.mkdir()
    (elsewhere / "spark-defaults.conf").touch()
    assert is_configured(home, {"SPARK_CONF_DIR": str(elsewhere)})
    assert not is_configured(home, {})
    (home / "conf").mkdir(parents=True)
    (home / "conf" / "log4j2.properties").touch()
    assert is_configured(home, {})


@pytest.mark.parametrize(
    ("master", "memory", "message"),
    [
        ("locl[2]", "1g", r"'locl\[2\]' is no Spark master: local\[\*\], spark://host:7077"),
        ("amqp://localhost", "1g", "is no Spark master"),
        ("local", "plenty", "'plenty' is no size of memory: 1g and 900m are"),
        ("local", "0g", "is no size"),
    ],
)
def test_what_cannot_be_is_said_first(master: str, memory: str, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        check(master, memory)


def test_sizes_are_spelt_as_spark_spells_them() -> None:
    for memory in ("1g", "900m", "2G", "1048576k"):
        check("local", memory)


def test_a_cluster_may_have_several_masters() -> None:
    assert masters("spark://one:7077,[::1]:7078") == [("one", 7077), ("::1", 7078)]
    assert masters("local[*]") == []
    with pytest.raises(BadSetting, match="has no port"):
        masters("spark://one")
