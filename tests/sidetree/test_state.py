from __future__ import annotations

from penstock.sidetree.state import State


def test_a_did_is_published_once_its_beginning_is_anchored() -> None:
    state = State(suffix="s", document={}, recovery_commitment="r", created=1, version="", reference="")
    assert not state.published
    anchored = State(suffix="s", document={}, recovery_commitment="r", created=1, version="u", reference="u")
    assert anchored.published
