from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.federation.words import put_witness_policy, put_word, read_word, witness_policy
from penstock.errors import BadWitnessPolicy

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_last_policy_that_can_be_read_counts(kept: DomainDatabase) -> None:
    assert kept.do(witness_policy) == ""
    for policy in ("OutOf(1,system)", "MinPercent(50,batch)"):
        kept.do(put_witness_policy, policy)
    with pytest.raises(BadWitnessPolicy):
        kept.do(put_witness_policy, "OutOf(many)")
    assert kept.do(witness_policy) == "MinPercent(50,batch)"


def test_a_word_is_the_last_that_was_said_by_its_name(kept: DomainDatabase) -> None:
    assert kept.do(read_word, "how far") is None
    for value in ("7", "8"):
        kept.do(put_word, "how far", value)
        kept.do(put_word, "something else", "")
    assert (kept.do(read_word, "how far"), kept.do(read_word, "something else")) == ("8", "")
