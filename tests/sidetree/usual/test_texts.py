from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock.sidetree.base64url import encode
from penstock.sidetree.multihash import hashed
from penstock.sidetree.usual.texts import Coordinate, Hash, Id, Uri


@pytest.mark.parametrize(
    ("kind", "good"),
    [(Coordinate, encode(b"c" * 32)), (Hash, hashed(1)), (Id, "key-1"), (Uri, "https://a.example")],
)
def test_a_text_is_of_its_pattern_from_the_first_letter_to_the_last(kind: Any, good: str) -> None:
    assert msgspec.convert(good, kind) == good
    for bad in ("", f"{good}\n", f" {good}", f"{good} "):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(bad, kind)
