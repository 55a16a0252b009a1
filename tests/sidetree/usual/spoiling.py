"""Values to spoil: a few things in them are others, or gone, or one more."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from penstock.sidetree.multihash import hashed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What may stand in any place, rightly or not.
ANYTHING: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(None, True, 0, -1, 1.5, 10**15, 2**60, "", "x", "é", "a\n", "A" * 60, hashed(1), f"{hashed(1)}\n"),
        *("EC", "OKP", "RSA", "P-256", "Ed25519", "keyAgreement", "fly", "https://a.example/", "a b:c"),
        *([], {}, [[]], ["x"], ["authentication", "authentication"], {"x": 1}),
        {"kty": "RSA", "n": "1", "e": "1"},
    ]
).map(copy.deepcopy)
NAMES = st.sampled_from(["more", "y", "nonce", "id", "type", "anchorOrigin", "anchorFrom", "anchorUntil"])


@st.composite
def spoilt(draw: st.DrawFn, values: Sequence[Any]) -> Any:
    """One of the values, with up to two changes."""
    value = copy.deepcopy(draw(st.sampled_from(values)))
    for _ in range(draw(st.integers(0, 2))):
        container, place = draw(st.sampled_from(list(places(value))))
        if draw(st.booleans()):
            container[place] = draw(ANYTHING)
        elif isinstance(container, list):
            container.append(copy.deepcopy(container[place]))
        elif draw(st.booleans()):
            del container[place]
        else:
            container[draw(NAMES)] = draw(ANYTHING)
        if not list(places(value)):
            break
    return value


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value, by its container."""
    if not isinstance(value, dict | list):
        return
    for place in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, place
        yield from places(value[place])
