"""What is preloaded; that it is in every worker, the driver of observing/test_killed.py sees to."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from penstock.pipelines.configuration import PRELOADED
from penstock.pipelines.did.session import MODULES

#: Preloads, and tells of threads; then writes some rows as a worker does, and tells what it has to import.
PROGRAM = """
import json, os, sys
from penstock.pipelines.forking import preload
preload()
threads, before = len(os.listdir("/proc/self/task")), set(sys.modules)
import pyarrow
pyarrow.array([b"a body"]), pyarrow.array([1])
print(json.dumps([threads, sorted(set(sys.modules) - before)]))
"""


def test_what_is_preloaded_starts_no_thread_and_leaves_nothing_to_import_at_the_first_row() -> None:
    environment = os.environ | {PRELOADED: ",".join(MODULES)}
    command = [sys.executable, "-c", PROGRAM]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout
    assert json.loads(told) == [1, []]
