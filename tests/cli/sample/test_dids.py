from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli.sample import dids as module
from penstock.cli.sample.dids import MOST, Registry
from penstock.errors import Unavailable

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.did.client import WalletFolder


class Stage:
    """A holder whose operations are all taken, until the domain is away."""

    def __init__(self, folder: WalletFolder) -> None:
        self.folder = folder
        self.done: list[tuple[str, str]] = []
        self.is_away = False

    def create(self, name: str, _changes: Any, how: Any) -> None:
        assert how.url == "http://domain"
        self._do("create", name)
        self.folder.file(name).parent.mkdir(exist_ok=True)
        self.folder.file(name).touch()

    def update(self, name: str, changes: Any) -> None:
        assert changes
        self._do("update", name)

    def _do(self, verb: str, name: str) -> None:
        if self.is_away:
            raise Unavailable("nobody answers")
        self.done.append((verb, name))


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[Stage]:
    made: list[Stage] = []

    def holder(folder: WalletFolder, **_: Any) -> Stage:
        made.append(Stage(folder))
        return made[-1]

    monkeypatch.setattr(module, "Holder", holder)
    return made


def test_a_few_are_created_and_then_changed_in_turn(tmp_path: Path, stages: list[Stage]) -> None:
    registry = Registry(tmp_path, "http://domain")
    for _ in range(2 * MOST):
        registry.next()
    [stage] = stages
    assert [verb for verb, _ in stage.done] == ["create"] * MOST + ["update"] * MOST
    assert len({name for _, name in stage.done}) == MOST


def test_a_domain_that_is_away_is_no_trouble(tmp_path: Path, stages: list[Stage]) -> None:
    registry = Registry(tmp_path, "http://domain")
    [stage] = stages
    stage.is_away = True
    registry.next()
    stage.is_away = False
    registry.next()
    assert [verb for verb, _ in stage.done] == ["create"]
