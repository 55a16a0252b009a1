from __future__ import annotations

import pytest

from penstock.did.activities import names
from penstock.did.federation.acceptance import Acceptance


@pytest.mark.parametrize(
    ("acceptance", "follows", "is_witnessed"),
    [
        (Acceptance(), True, True),
        (Acceptance(followers=frozenset()), False, True),
        (Acceptance(followers=frozenset({"a"}), witnessing=frozenset({"b"})), True, False),
        (Acceptance(witnessing=frozenset({"a"})), True, True),
    ],
)
def test_who_is_listed_is_accepted_and_everybody_without_a_list(
    acceptance: Acceptance,
    follows: bool,  # noqa: FBT001  a column of the table
    is_witnessed: bool,  # noqa: FBT001
) -> None:
    assert acceptance.accepts(names.FOLLOW, "a") is follows
    assert acceptance.accepts(names.INVITE, "a") is is_witnessed
