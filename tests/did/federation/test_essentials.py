from __future__ import annotations

from typing import Any

import pytest

from penstock.did.activities import names
from penstock.did.federation.essentials import SHORTENED, essentials

EVENT = {"type": "AnchorEvent", "url": "hl:x"}
LINKSET = {"linkset": [{"anchor": "hl:y", "original": "much"}]}


@pytest.mark.parametrize(
    ("kind", "about", "expected"),
    [
        (names.OFFER, LINKSET, "hl:y"),
        (names.OFFER, "hl:y", "hl:y"),
        (names.OFFER, {"linkset": []}, {"linkset": []}),
        (names.CREATE, EVENT | {"object": LINKSET}, EVENT),
        (names.CREATE, EVENT, EVENT),
        (names.CREATE, {"object": LINKSET}, {"object": LINKSET}),
    ],
)
def test_what_is_left_is_where_the_anchor_is(kind: str, about: Any, expected: Any) -> None:
    whole = {"id": "1", "type": [kind], "actor": "a", "object": about}
    assert essentials(kind, whole) == whole | {"object": expected}


def test_only_what_has_a_linkset_is_shortened() -> None:
    assert set(SHORTENED) == {names.OFFER, names.CREATE}
