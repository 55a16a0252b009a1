"""What is preloaded; that it is in every worker, the driver of observing/test_killed.py sees to."""

from __future__ import annotations

import json
import subprocess
import sys

from penstock.pipelines.did.session import MODULES

#: Imports them, and tells of threads, and of what may start some.
PROGRAM = """
import importlib, json, os, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps([len(os.listdir("/proc/self/task")), "pyarrow" in sys.modules]))
"""


def test_what_is_preloaded_starts_no_thread() -> None:
    command = [sys.executable, "-c", PROGRAM, *MODULES]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    assert json.loads(told) == [1, False]
