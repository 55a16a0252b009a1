from __future__ import annotations

from penstock.errors import BrokerRefused, RowsRefused


def test_errors_tell_programs_what_was_refused() -> None:
    assert BrokerRefused("no such queue", code=404).code == 404
    rows = RowsRefused("some rows were not", unroutable=[1], refused=[2, 3])
    assert (rows.unroutable, rows.refused) == ([1], [2, 3])
