from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.replace import REPLACE
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import public_key, service


@pytest.mark.parametrize(
    "document",
    [{}, {"publicKeys": []}, {"services": []}, {"publicKeys": [public_key()], "services": [service()]}],
)
def test_nothing_of_the_old_document_is_left(document: dict[str, Any]) -> None:
    REPLACE.check(document, ORB)
    assert REPLACE.apply({"publicKeys": [1], "services": [2], "alsoKnownAs": [3]}, document) == document


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "must be an object"),
        ({"id": "did:x"}, "no member 'id'"),
        ({"publicKeys": None}, "publicKeys must be a list"),
        ({"services": "text"}, "services must be a list"),
        ({"publicKeys": [public_key(type="Unheard")]}, "unknown type"),
        ({"services": [service("a"), service("a")]}, "stands twice"),
    ],
)
def test_a_document_with_anything_else_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(BadPatch, match=reason):
        REPLACE.check(value, ORB)
