from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import SystemClock
from penstock.did.client import Holder, WalletFolder
from tests.did.client.paper import paper_domain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.did.client.paper import PaperDomain


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaperDomain]:
    with paper_domain(tmp_path_factory.mktemp("paper")) as found:
        yield found


@pytest.fixture
def domain(paper: PaperDomain) -> PaperDomain:
    paper.reset()
    return paper


@pytest.fixture
def folder(tmp_path: Path) -> WalletFolder:
    return WalletFolder(tmp_path / "wallet")


@pytest.fixture
def holder(folder: WalletFolder) -> Holder:
    return Holder(folder, clock=SystemClock())
