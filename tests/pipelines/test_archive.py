from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.errors import SparkUnavailable
from penstock.pipelines.archive import Archive
from penstock.pipelines.java import Java
from penstock.pipelines.jvm import class_path
from penstock.pipelines.session import archive_here

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Dumps as Java does: the list of classes becomes the archive.
DUMPS = """#!/bin/sh
for word do
    case $word in
        -XX:SharedClassListFile=*) from=${word#*=} ;;
        -XX:SharedArchiveFile=*) to=${word#*=} ;;
    esac
done
tr a-z A-Z <"$from" >"$to"
"""


def make_archive(folder: Path, script: str = DUMPS, version: str = "17.0.1") -> Archive:
    program, home = folder / "java", folder / "spark"
    program.write_text(script)
    program.chmod(0o755)
    (home / "jars").mkdir(parents=True, exist_ok=True)
    (home / "jars" / "spark.jar").touch()
    java = Java(home=folder, program=program, version=version, place="JAVA_HOME")
    return Archive(java=java, home=home, folder=folder / "archives")


def train(options: Sequence[str]) -> None:
    """Learn one class."""
    (into,) = (word.partition("=")[2] for word in options if word.startswith("-XX:DumpLoadedClassList="))
    Path(into).write_text("a class")


def test_one_that_is_not_made_is_not_used(tmp_path: Path) -> None:
    archive = make_archive(tmp_path)
    assert (archive.is_made, archive.options(), archive.remove()) == (False, (), False)


def test_what_was_learned_is_dumped_and_used(tmp_path: Path) -> None:
    archive = make_archive(tmp_path)
    archive.make(train)
    assert archive.path.read_text() == "A CLASS"
    assert f"-XX:SharedArchiveFile={archive.path}" in archive.options()
    assert archive.remove()
    assert not archive.is_made


def test_another_java_or_other_jars_need_another(tmp_path: Path) -> None:
    archive = make_archive(tmp_path)
    archive.make(train)
    newer = make_archive(tmp_path, version="17.0.2")
    assert not newer.is_made
    newer.make(train)
    # The old one was of no use any more.
    assert (newer.is_made, archive.is_made) == (True, False)
    os.utime(newer.home / "jars" / "spark.jar", (1, 1))
    assert not newer.is_made


def test_a_java_that_cannot_dump_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    archive = make_archive(tmp_path, "#!/bin/sh\necho no room left\nexit 1\n")
    with pytest.raises(SparkUnavailable, match="could not make the archive: no room left"):
        archive.make(train)
    assert [entry.suffix for entry in archive.folder.iterdir()] == [".lock"]


def test_one_makes_it_at_a_time(tmp_path: Path) -> None:
    archive, busy = make_archive(tmp_path), threading.Semaphore(1)

    def alone(options: Sequence[str]) -> None:
        assert busy.acquire(blocking=False)
        train(options)
        busy.release()

    makers = [threading.Thread(target=archive.make, args=[alone]) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert archive.is_made


@pytest.mark.soak
def test_a_real_java_shares_its_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_CACHE", str(tmp_path))
    subprocess.check_call([sys.executable, "-m", "penstock", "spark", "archive"])
    archive = archive_here()
    # -Xshare:on refuses to start without it.
    options = [word for word in archive.options() if word != "-Xshare:auto"]
    jars = class_path(archive.home, {})
    subprocess.check_call([archive.java.program, "-Xshare:on", *options, "-cp", jars, "-version"])
