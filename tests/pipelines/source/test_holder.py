from __future__ import annotations

import subprocess
import sys

from penstock.pipelines.source.holder import is_alive, this_process


def test_this_process_lives() -> None:
    assert is_alive(this_process())


def test_a_process_that_has_ended_is_dead() -> None:
    code = "from penstock.pipelines.source.holder import this_process; print(this_process())"
    name = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()

    assert is_alive(name) is False


def test_the_same_id_with_another_start_is_another_process() -> None:
    assert is_alive(this_process().replace(")", "1)")) is False


def test_of_others_nobody_can_tell() -> None:
    machine = this_process().partition("(")[2].partition("-")[0]

    assert is_alive(this_process().replace(machine, "00000000")) is None
    assert is_alive("somebody") is None
