from __future__ import annotations

from penstock.did.operations.did_key import did_key

SUFFIX = "EiA-2ZPClupkt9AZWS3VzPEFbe2r8kQdGlMIi1Pjhy6Lyw"


def test_a_key_is_the_same_for_ever() -> None:
    # It is kept in databases.
    assert did_key(SUFFIX) == -740_803_007_671_364_502


def test_keys_fit_into_a_column_and_neighbours_are_far_apart() -> None:
    keys = {did_key(f"{SUFFIX[:-4]}{number:04}") for number in range(1000)}
    assert len(keys) == 1000
    assert -(2**63) <= min(keys) < -(2**60)
    assert 2**60 < max(keys) < 2**63
