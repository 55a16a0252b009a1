"""The texts in usual shapes, by the rules' own patterns."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from penstock.sidetree.keys import COORDINATE_TEXT
from penstock.sidetree.multihash import HASH
from penstock.sidetree.patches.values import ID
from penstock.sidetree.uris import URI, WITH_HOST

__all__ = ["Coordinate", "Hash", "Id", "Uri"]

# msgspec looks for a pattern anywhere, and `$` would allow a line's end behind it.
Coordinate: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{COORDINATE_TEXT.pattern})\Z")]
Hash: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{HASH.pattern})\Z")]
Id: TypeAlias = Annotated[str, Meta(pattern=rf"^(?:{ID.pattern})\Z")]
# Whether http may do without a host is the protocol's business.
Uri: TypeAlias = Annotated[str, Meta(pattern=rf"^{WITH_HOST}(?:{URI.pattern})\Z")]
