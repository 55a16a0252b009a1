from __future__ import annotations

import pytest

from penstock.did.anchors.profiles import namespace_of, profile_of
from penstock.errors import BadAnchor


def test_a_profile_is_of_a_namespace_and_a_version() -> None:
    assert profile_of("did:orb", 0) == "https://w3id.org/orb#v0"
    assert namespace_of("https://w3id.org/orb#v0") == ("did:orb", 0)


@pytest.mark.parametrize(("namespace", "version"), [("did:orb", 1), ("did:ion", 0)])
def test_others_have_no_profile(namespace: str, version: int) -> None:
    with pytest.raises(BadAnchor):
        profile_of(namespace, version)


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(BadAnchor, match="orb#v1") as caught:
        namespace_of("https://w3id.org/orb#v1")
    assert caught.value.rule == "profile"
