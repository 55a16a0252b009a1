"""One broker with its panel and one browser for all tests of a worker; a tab, logged in, for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.panel.site.stage import Stage
from tests.servers import chromium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.chromium import Browser, Tab


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A broker and its panel."""
    opened = Stage(tmp_path_factory.mktemp("stage"))
    opened.start()
    yield opened
    opened.stop()


@pytest.fixture(scope="session")
def browser(
    stage: Stage, tmp_path_factory: pytest.TempPathFactory, real_program: Callable[[str], Path]
) -> Iterator[Browser]:
    """A browser in which somebody has logged in as guest."""
    with chromium.running(real_program("chromium"), tmp_path_factory.mktemp("chromium")) as opened:
        with opened.tab() as tab:
            tab.go(f"{stage.url}/login")
            tab.wait("document.querySelector('#login[data-ready]') !== null")
            tab.fill("username", "guest")
            tab.fill("password", "guest")
            tab.click("Log in")
            tab.see("Overview", "h1")
        yield opened


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """A tab in which nothing may go wrong."""
    with browser.tab() as opened:
        yield opened
        assert opened.troubles == []
