from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from penstock.errors import ArrowMissing
from penstock.wire.arrow import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def _forgetful() -> Iterator[None]:
    arrow.cache_clear()
    yield
    arrow.cache_clear()


def test_it_is_pyarrow() -> None:
    assert arrow() is pa


@pytest.mark.usefixtures("_forgetful")
def test_without_pyarrow_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    with pytest.raises(ArrowMissing, match=r"pip install 'penstock\[arrow\]'"):
        arrow()
