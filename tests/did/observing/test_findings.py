from __future__ import annotations

import pytest

from penstock.did.observing.findings import kind_of
from penstock.errors import (
    BadAnchor,
    BadBatchFile,
    BadCredential,
    ContentForged,
    ContentNotFound,
    StoreError,
    Unavailable,
    UnknownVersion,
)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ContentNotFound("x"), "missing"),
        (ContentForged("x"), "damaged"),
        (BadCredential("proof", "x"), "credential"),
        (BadAnchor("item", "x"), "linkset"),
        (BadBatchFile("chunk file", "x"), "batch"),
        (UnknownVersion("x"), "batch"),
        (Unavailable("x"), "unreachable"),
        (StoreError("x"), "failed"),
        (ValueError("x"), "failed"),
    ],
)
def test_every_error_has_a_kind(error: Exception, kind: str) -> None:
    assert kind_of(error) == kind
