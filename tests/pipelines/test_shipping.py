from __future__ import annotations

import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from penstock.pipelines.shipping import pack

if TYPE_CHECKING:
    from pathlib import Path


IMPORTS = """
import sys
sys.path.insert(0, sys.argv[1])
import penstock.errors, penstock.pipelines
print(penstock.pipelines.__file__)
"""


def test_a_python_that_has_no_penstock_can_import_the_packed_one(tmp_path: Path) -> None:
    archive = pack(tmp_path)
    # -I -S: nothing that is installed is found.
    said = subprocess.check_output([sys.executable, "-I", "-S", "-c", IMPORTS, archive], text=True)
    assert said.strip() == f"{archive}/penstock/pipelines/__init__.py"


def test_only_sources_are_packed(tmp_path: Path) -> None:
    names = zipfile.ZipFile(pack(tmp_path)).namelist()
    assert "penstock/py.typed" in names
    assert not [name for name in names if not name.startswith("penstock/") or "__pycache__" in name]
