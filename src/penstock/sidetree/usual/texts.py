"""The texts in usual shapes, by the rules' own patterns."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from penstock.sidetree.keys import COORDINATE_TEXT
from penstock.sidetree.multihash import HASH
from penstock.sidetree.patches.values import ID
from penstock.sidetree.uris import USUAL

__all__ = ["Coordinate", "Hash", "Id", "Uri"]

# msgspec looks for a pattern anywhere, and `$` would allow a line's end behind it.
Coordinate: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{COORDINATE_TEXT.pattern})\Z")]
Hash: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{HASH.pattern})\Z")]
Id: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{ID.pattern})\Z")]
Uri: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{USUAL})\Z")]
