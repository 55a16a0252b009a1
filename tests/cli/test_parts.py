from __future__ import annotations

from importlib.util import find_spec

import pytest

from penstock.cli import parts as module
from penstock.cli.parts import NEEDED, missing


@pytest.mark.parametrize("part", NEEDED)
def test_where_everything_is_installed_nothing_is_missing(part: str) -> None:
    assert missing(part) is None


def test_what_is_missing_is_told_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "pyspark" else find_spec(name))
    assert missing("spark") == "pyspark is not installed: pip install 'penstock[spark]'"
    assert missing("did") is None
