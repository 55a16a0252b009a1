from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.errors import SparkUnavailable
from penstock.pipelines.folders import Workspace, cache_folder, sweep

if TYPE_CHECKING:
    from pathlib import Path

#: Makes a workspace, tells its name, and waits to be killed.
PROGRAM = """
import sys, pathlib
from penstock.pipelines.folders import Workspace
workspace = Workspace(pathlib.Path(sys.argv[1]))
(workspace.folder("local") / "spilled").write_text("much")
print(workspace.path, flush=True)
sys.stdin.read()
"""


def test_a_workspace_goes_with_everything_in_it(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        (workspace.folder("local") / "file").touch()
        assert [*tmp_path.iterdir()] == [workspace.path]
        assert workspace.path.stat().st_mode & 0o077 == 0
    assert [*tmp_path.iterdir()] == []
    workspace.close()
    assert repr(workspace) == f"<Workspace {workspace.path} closed>"


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    with (
        Workspace(tmp_path) as ours,
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, tmp_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as child,
    ):
        assert child.stdout is not None
        left = tmp_path / child.stdout.readline().strip()
        assert sweep(tmp_path) == []
        child.kill()
        child.wait()
        assert sweep(tmp_path) == [left]
        assert [*tmp_path.iterdir()] == [ours.path]


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    for name in ("penstock-spark-without-a-lock", "somebody-else"):
        (tmp_path / name).mkdir()
    assert sweep(tmp_path) == []
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"PENSTOCK_CACHE": "{}/mine", "XDG_CACHE_HOME": "{}/xdg"}, "mine"),
        ({"XDG_CACHE_HOME": "{}/xdg", "HOME": "{}/home"}, "xdg/penstock"),
        ({"HOME": "{}/home"}, "home/.cache/penstock"),
    ],
)
def test_the_cache_is_where_the_user_keeps_caches(
    tmp_path: Path, environment: dict[str, str], expected: str
) -> None:
    given = {name: value.format(tmp_path) for name, value in environment.items()}
    assert cache_folder(given) == tmp_path / expected
    assert (tmp_path / expected).is_dir()


def test_a_cache_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SparkUnavailable, match=r"cannot be made: .*PENSTOCK_CACHE may name another"):
        cache_folder({"PENSTOCK_CACHE": str(tmp_path / "file" / "below")})
