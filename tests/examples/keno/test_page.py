"""The page in a real browser: an empire is founded, builds, flies, and sees what happens as it does."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
import pytest

from examples.keno.planet_statistics import ROUTE, STATISTICS_CHANNEL
from penstock.client import Exchange, Outgoing
from penstock.client.sync import connect
from penstock.wire.amqp import BasicProperties
from tests.examples.keno.town import PASSWORD, Town
from tests.servers import chromium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.chromium import Browser, Tab


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A game that goes so fast that nobody waits, and slowly enough to see something on its way."""
    folder = tmp_path_factory.mktemp("keno") / "data"
    with Town(folder, "--pace", "4", "--workers", "1", "--gateways", "1") as running:
        yield running


@pytest.fixture(scope="module")
def browser(
    real_program: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    with chromium.running(real_program("chromium"), tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@contextmanager
def page(browser: Browser, game: Town, scheme: str) -> Iterator[Tab]:
    """The page, for a reader who likes it dark, or light; nothing may go wrong in it."""
    with browser.tab() as tab:
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tab.go(game.url)
        yield tab
        assert tab.troubles == []


def sign_up(tab: Tab, game: Town, name: str) -> None:
    """Found an empire, reading the picture as a person would."""
    tab.run("document.querySelector('[value=found]').click()")
    tab.wait("document.getElementById('captcha-image').naturalWidth > 0")
    image = tab.run("document.getElementById('captcha-image').src")
    tab.fill("name", name)
    tab.fill("password", PASSWORD)
    tab.fill("answer", game.answer_of(image.rpartition("/")[2].removesuffix(".png")))
    tab.click("Found the empire")
    tab.wait("document.querySelectorAll('#planets .thing').length === 3")


def thing(text: str) -> str:
    """The box of a building or a fleet, in the page's own language."""
    says = f"each.innerText.includes({json.dumps(text)})"
    return f"[...document.querySelectorAll('.thing')].find((each) => {says})"


def press(tab: Tab, box: str, begins: str) -> None:
    """Press the button of a box that begins so."""
    tab.wait(f"{thing(box)} !== undefined")
    find = (
        f"[...{thing(box)}.querySelectorAll('button')].find((each) => each.innerText.startsWith('{begins}'))"
    )
    tab.wait(f"{find} !== undefined")
    tab.run(f"{find}.click()")


def test_an_upgrade_is_started_seen_on_its_way_and_finished(browser: Browser, played: Town) -> None:
    with page(browser, played, "light") as tab:
        sign_up(tab, played, "Lacuna")
        tab.see("600", "#ore")
        press(tab, "Shipyard", "Upgrade")
        tab.wait(f"{thing('Shipyard')}.querySelector('progress')?.value > 0")
        tab.see("550", "#ore")
        tab.see("The shipyard has reached level 2.", "#events")
        tab.wait(f"{thing('Shipyard')}.innerText.includes('level 2')")
        press(tab, "Mine", "Dig")
        tab.see("The mine has dug 60 ore.", "#events")
        # What cannot be is said.
        tab.run("document.getElementById('ships').value = 50")
        tab.run("document.getElementById('construct').requestSubmit()")
        tab.see("the planet has less", "#toasts")


def test_a_fleet_flies_over_the_star_map_by_keyboard_alone(
    browser: Browser, played: Town, tmp_path: Path
) -> None:
    with page(browser, played, "dark") as tab:
        sign_up(tab, played, "Antigen")
        tab.run("document.getElementById('ships').value = 1")
        tab.run("document.getElementById('construct').requestSubmit()")
        tab.see("A fleet of 1 ship is ready.", "#events")
        # Scroll until another star is in the middle, and choose it.
        tab.run("document.getElementById('map').focus()")
        tab.press("Home")
        tab.press("Enter")
        home = tab.wait("document.querySelector('#star h3')?.innerText")
        for _ in range(40):
            tab.press("ArrowRight")
            tab.press("ArrowUp")
            tab.press("Enter")
            if tab.run("document.querySelector('#star h3')?.innerText") != home:
                break
        tab.click("Send", "#star")
        tab.wait(f"{thing('flying')}?.querySelector('progress').value > 0")
        tab.shoot(tmp_path / "keno.png")
        assert (tmp_path / "keno.png").stat().st_size > 30_000
        tab.see("1 ship has arrived at", "#events")
        # The chunk was forgotten, and what is shown of it is new.
        tab.see("1 of Antigen", "#star")


def test_statistics_arrive_live_and_whoever_comes_back_is_still_known(browser: Browser, played: Town) -> None:
    with page(browser, played, "light") as tab:
        sign_up(tab, played, "Keno")
        tell_statistics(played, tab.run("JSON.parse(sessionStorage.keno).empire_id"))
        tab.wait("document.querySelectorAll('#statistics td').length === 4")
        assert tab.run("document.querySelector('#statistics tr').innerText.split('\\t').slice(1)") == [
            "7",
            "4",
            "180",
        ]
        # A reload is no log-out, a log-out is, and the password lets one in again.
        tab.go(played.url)
        tab.see("connected", "#link")
        tab.click("Log out")
        tab.fill("name", "Keno")
        tab.fill("password", "something else")
        tab.click("Log in", "#enter")
        tab.see("no empire has this name and this password", "#enter-error")
        tab.fill("password", PASSWORD)
        tab.click("Log in", "#enter")
        tab.see("connected", "#link")
        tab.see("Keno", "#empire")


def tell_statistics(game: Town, empire_id: int) -> None:
    """As the pipeline does; tests/pipelines/test_keno_statistics.py has the real one."""
    counted = {"upgrades": 7, "highest": 4, "shifts": 3, "ore": 180, "last_at": 0.0}
    row = {"body_id": 1, "empire_id": empire_id, **counted}
    body = msgspec.json.encode({"route": ROUTE, "user_id": empire_id, "content": row})
    with connect(f"amqp://guest:guest@{game.places['amqp']}/") as client:
        client.declare(Exchange(STATISTICS_CHANNEL, "fanout"))
        client.publish(Outgoing(STATISTICS_CHANNEL, "", body, BasicProperties.of(message_id="s1")))
