"""The parts of `penstock up`, and the libraries that those need which not every installation has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DID", "GATEWAY", "PANEL", "SPARK", "missing"]

PANEL: Final = "panel"
GATEWAY: Final = "websocket"
DID: Final = "did"
SPARK: Final = "spark"

#: By the name of the extra that brings them: libraries that a part cannot do without.
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    PANEL: ("starlette", "uvicorn", "websockets"),
    GATEWAY: ("websockets",),
    DID: ("coincurve", "cryptography", "fsspec", "isal", "starlette", "uvicorn"),
    SPARK: ("pyspark", "pyarrow"),
}


def missing(part: str) -> str | None:
    """What a person is told about a part that cannot run here; None if it can."""
    absent = [name for name in NEEDED[part] if find_spec(name) is None]
    if not absent:
        return None
    return f"{', '.join(absent)} is not installed: pip install 'penstock[{part}]'"
