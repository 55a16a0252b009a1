"""Penstock for executors on other machines: the driver's own, as a zip file that Spark hands to them.

So they run what the driver runs, whatever is installed there. The libraries that it stands on must be there.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Final

import penstock

__all__ = ["pack"]

PACKAGE: Final = Path(penstock.__file__).parent


def pack(folder: Path) -> Path:
    """Put Penstock into a zip file in the folder; returns which."""
    archive = folder / f"penstock-{penstock.__version__}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for source in sorted(PACKAGE.rglob("*")):
            if source.is_file() and "__pycache__" not in source.parts:
                file.write(source, source.relative_to(PACKAGE.parent))
    return archive
