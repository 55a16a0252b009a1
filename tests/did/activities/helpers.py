"""What the tests of activities share: two domains, an anchor, and ways to break what they say."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from penstock.did.activities.activity import Activity
from penstock.did.cas.hashlink import HashLink
from penstock.sidetree.canonical import canonical

A, B, C = (f"https://{name}.example/services/orb" for name in "abc")
NAME = f"{A}/activities/1"
AT = 1_700_000_000.0

LINKSET = {"linkset": [{"anchor": "hl:x"}]}
URL = HashLink.of(canonical(LINKSET), ["https://a.example/cas/x"])


def told(document: Any) -> Activity:
    """As another domain receives it."""
    return Activity.parse(canonical(document))


def changed(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The same with one member changed; None takes it away."""
    copy = deepcopy(document)
    *way, last = path.split(".")
    at: Any = copy
    for step in way:
        at = at[int(step) if step.isdigit() else step]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return copy
