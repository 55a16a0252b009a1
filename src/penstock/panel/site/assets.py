"""The pages' modules, style and icon: read once, kept in memory, plain and compressed.

Their addresses carry a mark made of all their bytes, so a browser may keep them for ever, and an upgrade is
seen at once. Modules import one another by relative paths and so stay within one mark.
"""

from __future__ import annotations

import gzip
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ASSETS", "Asset", "Assets"]

FOLDER: Final = Path(__file__).parent / "static"
KINDS: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: What a browser may keep for ever, and what it must ask for anew.
FOR_EVER: Final = "public, max-age=31536000, immutable"
ASK_ANEW: Final = "no-cache"


class Asset(NamedTuple):
    """One file."""

    kind: str
    plain: bytes
    compressed: bytes


class Assets:
    """All files of a folder, by their path in it."""

    def __init__(self, folder: Path) -> None:
        files = sorted(file for file in folder.rglob("*") if file.suffix in KINDS)
        self.files: Mapping[str, Asset] = {file.relative_to(folder).as_posix(): _read(file) for file in files}
        digest = blake2b(digest_size=6)
        for path, asset in self.files.items():
            digest.update(path.encode() + b"\0" + asset.plain)
        self.mark = digest.hexdigest()

    def __repr__(self) -> str:
        return f"<Assets {self.mark} of {len(self.files)} files>"

    def address(self, path: str) -> str:
        """Where a page finds a file."""
        return f"/static/{self.mark}/{path}"

    def maybe_find(self, path: str, *, accepts: str) -> tuple[Asset, bytes, dict[str, str]] | None:
        """A file, its bytes as the browser takes them, and what to say of them.

        Args:
            path: as in the address, without the mark.
            accepts: the header Accept-Encoding.
        """
        asset = self.files.get(path)
        if asset is None:
            return None
        if "gzip" in accepts:
            return asset, asset.compressed, {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return asset, asset.plain, {"Vary": "Accept-Encoding"}

    def caching(self, mark: str) -> str:
        """How long a file may be kept that was asked for with this mark."""
        return FOR_EVER if mark == self.mark else ASK_ANEW


def _read(file: Path) -> Asset:
    plain = file.read_bytes()
    return Asset(KINDS[file.suffix], plain, gzip.compress(plain, mtime=0))


ASSETS: Final = Assets(FOLDER)
