from __future__ import annotations

from penstock.workers.cached.schema import CACHE, values


def test_the_layout_has_the_table() -> None:
    assert CACHE.tables.tables == {"penstock_cache": values}
