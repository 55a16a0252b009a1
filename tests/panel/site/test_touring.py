"""Every page in a real browser, full of names and payloads that want to run as script.

It opens, goes live, can be used by everybody (axe-core's rules, WCAG 2.2 AA), in light and dark; and nothing
of what it shows runs.
"""

from __future__ import annotations

import fcntl
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from penstock.panel.site.pages import PAGES, Page
from tests.conversations.programs import run
from tests.did.batches.circle import created
from tests.did.observing.helpers import suffix_in
from tests.panel.site.stage import HOSTILE
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.panel.site.stage import Stage
    from tests.servers.chromium import Tab

#: Pinned, as requirements.lock pins what is Python's.
AXE = "axe-core@4.14.0"
#: From npm's own cache if it is there, and without asking what is wrong with it.
QUIETLY = ("--no-save", "--prefer-offline", "--no-audit", "--no-fund")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: Rows of a table are alike, and so is the menu of all pages: axe-core takes as long as there are elements.
ROWS, MENU = "tbody tr:nth-child(n+4)", "nav"
NAME = quote(HOSTILE, safe="")
#: What stands in a page's path, by the page's path.
NAMED = {
    "/queues/{vhost}/{name}": {"{vhost}": "%2F", "{name}": NAME},
    "/exchanges/{vhost}/{name}": {"{vhost}": "%2F", "{name}": NAME},
    "/users/{name}": {"{name}": NAME},
    "/messages/{vhost}/{id}": {"{vhost}": "%2F", "{id}": NAME},
    "/batches/{number}": {"{number}": "2"},
    "/dids/{suffix}": {"{suffix}": suffix_in(created(Life("good")))},
}


@pytest.fixture(scope="module")
def axe(run_folder: Path, real_program: Callable[[str], Path]) -> str:
    """The source of axe-core, installed once for the run."""
    npm, folder = real_program("npm"), run_folder / "node"
    folder.mkdir(exist_ok=True)
    source = folder / "node_modules" / "axe-core" / "axe.min.js"
    with (run_folder / "node.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not source.exists():
            run([npm, "install", *QUIETLY, "--prefix", folder, AXE], folder=folder)
    return source.read_text()


@pytest.fixture(scope="module")
def connection(stage: Stage) -> Iterator[str]:
    """A client of the hostile name, and everything else that can be named so; gives its connection."""
    stage.keep_letters()
    stage.api("PUT", f"/api/vhosts/{NAME}", {"description": HOSTILE})
    stage.api("PUT", f"/api/users/{NAME}", {"password": "x", "tags": "monitoring"})
    stage.api("PUT", f"/api/permissions/%2F/{NAME}", {"configure": HOSTILE[:1], "write": ".*", "read": ".*"})
    stage.api("PUT", f"/api/exchanges/%2F/{NAME}", {"type": "topic", "arguments": {"note": HOSTILE}})
    stage.schedule(HOSTILE, 4000)
    with stage.client(HOSTILE) as channel, stage.worker(HOSTILE):
        channel.queue_declare(HOSTILE, arguments={"x-note": HOSTILE})
        channel.queue_bind(HOSTILE, HOSTILE, HOSTILE, {"note": HOSTILE})
        stage.publish(HOSTILE, HOSTILE, message_id=HOSTILE, type=HOSTILE, headers={HOSTILE: HOSTILE})
        channel.basic_consume(HOSTILE, lambda *_: None, consumer_tag=HOSTILE[:100])
        found = stage.api("GET", "/api/connections")
        yield next(each["name"] for each in found if each["client_properties"]["connection_name"] == HOSTILE)


def address(stage: Stage, page: Page, connection: str) -> str:
    path = page.path
    for place, name in NAMED.get(path, {"{name}": quote(connection, safe="")}).items():
        path = path.replace(place, name)
    return stage.url + path


def complaints(tab: Tab, rules: list[str], alike: tuple[str, ...]) -> list[str]:
    """What axe-core has to say, a line each, but for what is like something that it looks at."""
    where = json.dumps({"exclude": [[each] for each in alike]})
    options = json.dumps({"runOnly": rules, "resultTypes": ["violations"]})
    found = tab.run(f"axe.run({where}, {options}).then((result) => result.violations)")
    return [
        f"{each['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


def test_every_page_is_live_accessible_and_runs_nothing_that_it_shows(
    stage: Stage, tab: Tab, axe: str, connection: str, tmp_path: Path
) -> None:
    found: list[str] = []
    alike: tuple[str, ...] = (ROWS,)
    for page in PAGES:
        tab.go(address(stage, page, connection))
        tab.wait("document.querySelector('#state').dataset.state === 'live'")
        tab.wait("document.querySelector('#content').innerText.length > 0")
        tab.wait("!document.querySelector('table') || document.querySelector('tbody tr, .empty') !== null")
        tab.shoot(tmp_path / f"{page.module.removesuffix('.js')}.png")
        tab.run(f"{axe};0")
        found += [f"{page.path}: {each}" for each in complaints(tab, RULES, alike)]
        tab.run("document.documentElement.dataset.theme = 'dark'")
        found += [f"{page.path}, dark: {each}" for each in complaints(tab, ["color-contrast"], alike)]
        alike = (ROWS, MENU)
        assert tab.run("window.ran") is None, page.path
        assert tab.troubles == [], page.path
    assert found == [], "\n".join(found)


def test_what_is_hostile_is_read_as_text(stage: Stage, tab: Tab, connection: str) -> None:
    tab.go(f"{stage.url}/queues/%2F/{NAME}")
    tab.see(HOSTILE, "h1")
    tab.see(HOSTILE, ".facts")
    tab.see(HOSTILE, "table")
    tab.go(f"{stage.url}/wiring")
    tab.see(HOSTILE[:20], ".wiring")
    tab.go(f"{stage.url}/messages/%2F/{NAME}")
    tab.see(HOSTILE, ".life")
    tab.go(f"{stage.url}/dead-letters")
    tab.see(HOSTILE, "table")
    for page in ("pipelines", "batches/2", "workers", "schedules"):
        tab.go(f"{stage.url}/{page}")
        tab.see(HOSTILE, "#content")
    assert tab.run("document.querySelector('a[href^=javascript]')") is None
    assert tab.run("window.ran") is None


def test_what_a_message_says_is_peeked_at_as_text(stage: Stage, tab: Tab) -> None:
    hostile = json.dumps({HOSTILE: HOSTILE, "__proto__": {"ran": 1}})
    stage.api("PUT", "/api/queues/%2F/peeked", {})
    stage.api("DELETE", "/api/queues/%2F/peeked/contents")
    for payload in (HOSTILE, hostile):
        stage.publish(
            "peeked",
            payload,
            message_id=HOSTILE,
            type=HOSTILE,
            headers={HOSTILE: HOSTILE, "table": {HOSTILE: [HOSTILE]}, "link": "javascript:window.ran=1"},
        )
    tab.go(f"{stage.url}/queues/%2F/peeked")
    tab.click("Peek")
    tab.see("2 messages", "#content")
    shown = tab.run("[...document.querySelectorAll('article.message pre')].map((each) => each.textContent)")
    assert shown[0] == HOSTILE
    assert json.loads(shown[1]) == json.loads(hostile)
    tab.run("document.querySelectorAll('article.message details').forEach((each) => { each.open = true; })")
    tab.see(HOSTILE, "article.message th")
    tab.see(json.dumps({HOSTILE: [HOSTILE]}, separators=(",", ":")), "article.message table")
    tab.see(HOSTILE, "article.message header a")
    assert tab.run("document.querySelectorAll('article.message :is(img, script)').length") == 0
    assert tab.run("document.querySelector('a[href^=javascript]')") is None
    assert tab.run("window.ran ?? ({}).ran") is None


def test_the_policy_would_stop_what_slipped_through(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/vhosts")
    tab.run(
        "document.body.append(Object.assign(document.createElement('a'), {href: 'javascript:window.ran=1'}))"
    )
    for script in (
        "document.body.innerHTML = '<img src=x onerror=window.ran=1>'",
        "document.body.lastChild.click()",
        "document.body.setAttribute('onclick', 'window.ran=1'), document.body.click()",
    ):
        tab.call("Runtime.evaluate", expression=script)
    tab.run("new Promise((resolve) => setTimeout(resolve, 100))")
    assert tab.run("window.ran") is None
    assert tab.troubles, "the policy says that it was broken"
    tab.troubles.clear()
