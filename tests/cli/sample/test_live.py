from __future__ import annotations

import pytest

from penstock.cli.sample.events import JOBS
from penstock.cli.sample.live import check_token, policy
from penstock.errors import BadToken


def test_a_name_is_let_in_and_anything_else_is_not() -> None:
    assert check_token("ada").user == "ada"
    for token in ("", "a b", "<script>"):
        with pytest.raises(BadToken):
            check_token(token)


def test_clients_may_ask_for_inspections_only() -> None:
    assert policy.queues == [JOBS]
    assert list(policy.routes) == ["/valve/inspect"]
