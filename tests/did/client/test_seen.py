from __future__ import annotations

import pytest

from penstock.did.client.seen import Seen


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, Seen()),
        ({"didDocumentMetadata": {"deactivated": True}}, Seen(is_deactivated=True)),
        (
            {
                "didDocumentMetadata": {
                    "canonicalId": "did:orb:uA:EiB",
                    "versionId": "uA",
                    "method": {"published": True, "updateCommitment": "u", "recoveryCommitment": "r"},
                }
            },
            Seen(update_commitment="u", recovery_commitment="r", is_anchored=True, did="did:orb:uA:EiB"),
        ),
    ],
    ids=["nothing", "deactivated", "anchored"],
)
def test_a_holder_sees_what_a_resolution_result_says(told: dict[str, object], expected: Seen) -> None:
    assert Seen.of(told) == expected


def test_promises_are_the_two_commitments() -> None:
    assert Seen(update_commitment="u", recovery_commitment="r").promises == ("u", "r")
