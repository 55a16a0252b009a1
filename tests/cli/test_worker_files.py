from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from penstock.cli.worker_files import changed, changes, seen
from penstock.clock import VirtualClock
from tests.messaging.fakes import turns

if TYPE_CHECKING:
    from pathlib import Path


def write(file: Path, at: int) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    os.utime(file, ns=(at, at))
    return file


def test_python_files_are_seen_wherever_somebody_writes_them(tmp_path: Path) -> None:
    code = write(tmp_path / "game" / "jobs.py", 1)
    for other in ("notes.txt", ".venv/a.py", "__pycache__/b.py"):
        write(tmp_path / other, 1)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    assert seen(tmp_path) == {code: 1}


def test_a_file_that_came_went_or_was_written_is_a_change(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("1.py", "2.py", "3.py"))
    assert changes({one: 1, two: 1}, {one: 1, two: 1}) == []
    assert changes({one: 1, two: 1}, {two: 2, three: 1}) == [one, two, three]


def test_a_change_is_waited_for(tmp_path: Path) -> None:
    async def story() -> None:
        file, clock = write(tmp_path / "jobs.py", 1), VirtualClock()
        waiting = asyncio.create_task(changed(tmp_path, seen(tmp_path), clock))
        for _ in range(3):
            await turns()
            clock.advance(1)
        assert not waiting.done()
        write(file, 2)
        await turns()
        clock.advance(1)
        assert await waiting == [file]

    asyncio.run(story())
