"""The broker's pages in a real browser: every action is done as an operator would do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pika.exceptions
import pytest

if TYPE_CHECKING:
    from tests.panel.site.stage import Stage
    from tests.servers.chromium import Tab

#: What stands on the buttons that turn pages.
BACK, ON = ("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}")


def choose(tab: Tab, select: str, value: str) -> None:
    """Take one of the options, as a person would."""
    tab.run(f"document.querySelector({select!r}).value = {value!r}")
    tab.run(f"document.querySelector({select!r}).dispatchEvent(new Event('change'))")


def test_the_overview_counts_and_draws_what_flows(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/queues/%2F/flowing", {})
    tab.go(stage.url)
    # Only the deepest are shown, and while it is empty others are deeper.
    for number in range(20):
        stage.publish("flowing", str(number))
    tab.see("flowing", "#content")
    tab.wait("document.querySelector('.plot').getAttribute('aria-label')?.includes('Published')")
    tab.wait("[...document.querySelectorAll('tbody tr')].some((row) => /flowing[^]*20/.test(row.innerText))")
    tab.wait("document.querySelectorAll('.line[d*=L]').length > 0")


def test_charts_begin_with_what_the_broker_remembers(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/queues/%2F/remembered", {})
    stage.publish("remembered", "x")
    for page, path, chart in (
        ("/queues/%2F/remembered", "/api/queues/%2F/remembered", "queue-depth / remembered"),
        ("/", "/api/overview", "overview-depths"),
    ):
        tab.go(f"{stage.url}/vhosts")
        past = "(told.queue_totals ?? told).messages_ready_details.samples.length > 1"
        asked = f"{path}?lengths_age=300&lengths_incr=5"
        tab.wait(f"fetch({asked!r}).then((answer) => answer.json()).then((told) => {past})")
        tab.go(stage.url + page)
        tab.wait("document.querySelectorAll('.line[d*=L]').length > 0")
        opened = tab.run("performance.timeOrigin / 1000")
        # What a chart has is left in the tab for when the page is opened again.
        tab.go(f"{stage.url}/vhosts")
        (first, *_), *_ = tab.run(f"JSON.parse(sessionStorage.getItem('history:{chart}'))")
        assert first < opened


def test_a_queue_is_declared_filled_peeked_at_purged_and_deleted(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/queues")
    tab.click("New queue…")
    tab.fill("name", "orders/new", "dialog")
    tab.click("Declare", "dialog")
    tab.see("Queue orders/new is there.", "#notices")
    tab.click("\N{MULTIPLICATION SIGN}", "#notices")
    tab.wait("document.querySelector('#notices').innerText === ''")
    tab.click("orders/new", "table")
    tab.see("orders/new", "h1")
    for body in ('{"order": 1}', '{"order": 2}'):
        tab.fill("payload", body)
        tab.click("Publish")
        tab.see("Published.", "#notices")
    tab.wait("/Ready\\s+2/.test(document.querySelector('.facts').innerText)")
    tab.fill("count", "1")
    tab.click("Peek")
    tab.see('"order": 1', ".message")
    tab.click("Next")
    tab.see('"order": 2', ".message")
    assert tab.run("document.querySelectorAll('.message').length") == 1
    assert stage.api("GET", "/api/queues/%2F/orders%2Fnew")["messages_ready"] == 2, "a look takes nothing"
    tab.click("Purge…")
    tab.click("Purge", "dialog")
    tab.wait("/Ready\\s+0/.test(document.querySelector('.facts').innerText)")
    tab.click("Delete…")
    tab.fill("typed", "another", "dialog")
    tab.click("Delete", "dialog")
    tab.see("That is not the name.", "dialog")
    tab.fill("typed", "orders/new", "dialog")
    tab.click("Delete", "dialog")
    tab.wait("location.pathname === '/queues'")
    assert "orders/new" not in [queue["name"] for queue in stage.api("GET", "/api/queues")]


def test_messages_are_found_by_a_selector_and_moved(stage: Stage, tab: Tab) -> None:
    for name in ("mixed", "european"):
        stage.api("PUT", f"/api/queues/%2F/{name}", {})
    for region in ("eu", "us", "eu"):
        stage.publish("mixed", region, headers={"region": region})
    tab.go(f"{stage.url}/queues/%2F/mixed")
    tab.fill("filter", "region = 'us'")
    tab.click("Peek")
    tab.see("us", ".message pre")
    assert tab.run("document.querySelectorAll('.message').length") == 1
    tab.fill("filter", "region = 'eu'")
    tab.fill("count", "1")
    for button, place in (("Peek", "#0"), ("Next", "#2")):
        tab.click(button)
        tab.see(place, ".message b")
    tab.fill("filter", "region = 'nowhere'")
    tab.fill("position", "0")
    tab.click("Peek")
    tab.see("None of 3 messages fits. Next goes on.", "#content")
    tab.click("Next")
    tab.see("No message is there.", "#content")
    tab.fill("filter", "region = = 'us'")
    tab.click("Peek")
    tab.wait("document.querySelector('form + div .refusal')?.innerText.length > 0")
    tab.click("Move messages…")
    tab.fill("to", "european", "dialog")
    tab.fill("filter", "region = 'eu'", "dialog")
    tab.click("Move", "dialog")
    tab.see("2 messages moved to european.", "#notices")
    assert stage.api("GET", "/api/queues/%2F/european")["messages_ready"] == 2


def test_a_question_that_is_left_changes_nothing(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/queues/%2F/kept", {})
    stage.publish("kept", "x")
    tab.go(f"{stage.url}/queues/%2F/kept")
    tab.click("Delete…")
    tab.wait("document.querySelector('dialog[open]') !== null")
    tab.press("Escape")
    tab.wait("document.querySelector('dialog') === null")
    tab.click("Purge…")
    tab.click("Cancel", "dialog")
    tab.wait("document.querySelector('dialog') === null")
    assert stage.api("GET", "/api/queues/%2F/kept")["messages"] == 1


def test_lists_are_filtered_sorted_and_remembered_in_the_address(stage: Stage, tab: Tab) -> None:
    for name in ("another", "sorted-0", "sorted-1", "sorted-2"):
        stage.api("PUT", f"/api/queues/%2F/{name}", {})
    stage.publish("sorted-1", "x")
    tab.go(f"{stage.url}/queues")
    tab.see("sorted-2", "table")
    tab.press("/")
    for letter in "sorted-":
        tab.press(letter)
    tab.wait("document.querySelectorAll('tbody tr').length === 3")
    tab.see("3 of", ".count")
    tab.click("Ready", "thead")
    tab.click("Ready", "thead")
    tab.wait("document.querySelector('tbody tr th').innerText === 'sorted-1'")
    assert tab.run("document.querySelector('th[aria-sort=descending]').innerText").startswith("Ready")
    tab.go(tab.run("location.href"))
    tab.wait("document.querySelector('tbody tr th')?.innerText === 'sorted-1'")
    assert tab.run("document.querySelector('#filter').value") == "sorted-"


def test_a_long_list_is_turned_page_by_page(stage: Stage, tab: Tab) -> None:
    for number in range(26):
        stage.api("PUT", f"/api/queues/%2F/paged-{number:02}", {})
    tab.go(f"{stage.url}/queues?name=paged-&size=25&sort=name&reverse=false")
    tab.see("1 / 2", ".pager")
    tab.click(ON, ".pager")
    tab.wait(
        "[...document.querySelectorAll('tbody tr th')].map((each) => each.innerText).join() === 'paged-25'"
    )
    tab.click(BACK, ".pager")
    tab.wait("document.querySelectorAll('tbody tr').length === 25")
    choose(tab, "#size", "50")
    tab.wait("document.querySelectorAll('tbody tr').length === 26")


def test_what_another_undoes_at_once_does_not_stay_on_the_page(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/queues/%2F/undone", {})
    tab.go(f"{stage.url}/exchanges/%2F/amq.fanout")
    tab.see("Nothing is registered here", "#content")
    tab.click("Register…")
    tab.fill("to", "undone", "dialog")
    tab.click("Register", "dialog")
    tab.see("undone", "table")
    stage.api("DELETE", "/api/bindings/%2F/e/amq.fanout/q/undone/~", None)
    tab.see("Nothing is registered here", "#content")


def test_a_proxy_is_declared_registered_at_published_to_and_deleted(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/queues/%2F/letters", {})
    tab.go(f"{stage.url}/exchanges")
    tab.click("New proxy…")
    tab.fill("name", "post", "dialog")
    tab.fill("type", "topic", "dialog")
    tab.click("Declare", "dialog")
    tab.click("post", "table")
    tab.click("Register…")
    tab.fill("to", "letters", "dialog")
    tab.fill("key", "letter.#", "dialog")
    tab.click("Register", "dialog")
    tab.see("letter.#", "table")
    for key, outcome in (("letter.new", "Published."), ("parcel", "Published, but no queue asked for it.")):
        tab.fill("key", key)
        tab.click("Publish")
        tab.see(outcome, "#notices")
    tab.click("Unregister", "table")
    tab.click("Unregister", "dialog")
    tab.see("Nothing is registered here", "#content")
    tab.click("Delete…")
    tab.fill("typed", "post", "dialog")
    tab.click("Delete", "dialog")
    tab.wait("location.pathname === '/exchanges'")
    assert "post" not in [proxy["name"] for proxy in stage.api("GET", "/api/exchanges")]


def test_a_client_is_seen_with_its_channel_and_sent_away(stage: Stage, tab: Tab) -> None:
    with stage.client("a long-lived one") as channel:
        channel.queue_declare("watched")
        channel.basic_consume("watched", lambda *_: None)
        tab.go(f"{stage.url}/connections")
        tab.see("a long-lived one", "table")
        tab.run(
            "[...document.querySelectorAll('tbody tr')]"
            ".find((row) => row.innerText.includes('a long-lived one')).querySelector('a').click()"
        )
        tab.see("Close it…", "#content")
        tab.wait("document.querySelectorAll('tbody tr').length === 1")
        tab.click("Close it…")
        tab.fill("reason", "upgrade \N{EN DASH} back soon", "dialog")
        tab.click("Close it", "dialog")
        tab.wait("location.pathname === '/connections'")
        with pytest.raises(pika.exceptions.ConnectionClosedByBroker, match=r"upgrade \? back soon"):
            channel.queue_declare("never")


def test_the_wiring_is_drawn_explained_and_filtered(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/vhosts/press")
    stage.api("PUT", "/api/permissions/press/guest", {"configure": ".*", "write": ".*", "read": ".*"})
    stage.api("PUT", "/api/exchanges/press/news", {"type": "topic"})
    for name, key in (("sports", "sport.#"), ("weather", "weather.*")):
        stage.api("PUT", f"/api/queues/press/{name}", {})
        stage.api("POST", f"/api/bindings/press/e/news/q/{name}", {"routing_key": key})
    tab.go(f"{stage.url}/wiring")
    tab.wait("[...document.querySelectorAll('#vhost option')].some((each) => each.value === 'press')")
    choose(tab, "#vhost", "press")
    tab.see("weather.*", ".wiring")
    tab.run("document.querySelector('#filter').value = 'sport'")
    tab.run("document.querySelector('#filter').dispatchEvent(new Event('input'))")
    tab.wait("!document.querySelector('.wiring').textContent.includes('weather')")
    tab.run("document.querySelector('#filter').value = 'news'")
    tab.run("document.querySelector('#filter').dispatchEvent(new Event('input'))")
    tab.see("weather", ".wiring")
    tab.run("document.querySelector('.node.proxy').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    tab.see("news: topic", ".picked")
    tab.fill("key", "sport.football")
    tab.click("Explain")
    tab.see("It reaches sports", ".explaining")
    tab.see("weather.*", ".explaining .no")
    marked = (
        "[...document.querySelectorAll('.node.marked .label')].map((each) => each.textContent.trim()).sort()"
    )
    tab.wait(f"{marked}.join() === 'news,sport.#,sports'")
    assert tab.run("document.querySelectorAll('.edge.marked').length") == 2
    tab.click("Clear")
    tab.wait("document.querySelectorAll('.marked').length === 0")
    tab.click("Open it", ".picked")
    tab.wait("location.pathname === '/exchanges/press/news'")


def test_many_queues_are_folded_until_somebody_opens_them(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/vhosts/crowd")
    stage.api("PUT", "/api/permissions/crowd/guest", {"configure": ".*", "write": ".*", "read": ".*"})
    for number in range(30):
        stage.api("PUT", f"/api/queues/crowd/tenant.{number}", {})
    tab.go(f"{stage.url}/wiring?vhost=crowd")
    tab.see("tenant.… (30)", ".wiring")
    assert tab.run("document.querySelectorAll('.node.queue').length") == 0
    tab.run("document.querySelector('.node.group').focus()")
    tab.press("Enter")
    tab.wait("document.querySelectorAll('.node.queue').length === 30")
    tab.click("Fold again")
    tab.wait("document.querySelectorAll('.node.queue').length === 0")


def test_a_virtual_host_and_a_user_are_made_permitted_and_deleted(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/vhosts")
    tab.click("New virtual host…")
    tab.fill("name", "staging", "dialog")
    tab.click("Add", "dialog")
    tab.see("staging", "table")
    stage.api("PUT", "/api/users/nopass", {"password_hash": "", "tags": ""})
    tab.go(f"{stage.url}/users")
    passwords = "[...document.querySelectorAll('tbody tr')].map((row) => [row.cells[0], row.cells[2]]"
    told = tab.wait(f"Object.fromEntries({passwords}.map((each) => each.innerText)))")
    assert (told["guest"], told["nopass"]) == ("set", "none: cannot log in with one")
    tab.click("New user…")
    tab.fill("name", "ann", "dialog")
    tab.fill("password", "secret", "dialog")
    tab.fill("tags", "monitoring", "dialog")
    tab.click("Add", "dialog")
    tab.click("ann", "table")
    tab.click("Permit…")
    tab.fill("vhost", "staging", "dialog")
    tab.fill("configure", "^ann", "dialog")
    tab.click("Set", "dialog")
    tab.see("^ann", "table")
    assert stage.api("GET", "/api/permissions/staging/ann")["configure"] == "^ann"
    tab.click("Change…", "table")
    tab.fill("read", "^ann", "dialog")
    tab.click("Set", "dialog")
    tab.wait("[...document.querySelectorAll('td')].filter((each) => each.innerText === '^ann').length === 2")
    tab.click("Password and role…")
    tab.fill("tags", "management", "dialog")
    tab.click("Change", "dialog")
    tab.see("management", ".facts")
    assert stage.api("GET", "/api/whoami", user="ann:secret")["name"] == "ann", "the password stays"
    tab.click("Clear", "table")
    tab.click("Clear", "dialog")
    tab.see("No permission anywhere", "#content")
    tab.click("Delete…")
    tab.fill("typed", "ann", "dialog")
    tab.click("Delete", "dialog")
    tab.wait("location.pathname === '/users'")
    tab.go(f"{stage.url}/vhosts")
    tab.wait(
        "[...document.querySelectorAll('tbody tr')].filter((row) => row.cells[0].innerText === 'staging')"
        ".map((row) => row.querySelector('button').click()).length === 1"
    )
    tab.fill("typed", "staging", "dialog")
    tab.click("Delete", "dialog")
    tab.see("staging is deleted.", "#notices")
    assert "staging" not in [host["name"] for host in stage.api("GET", "/api/vhosts")]
    tab.go(f"{stage.url}/audit")
    tab.see("/api/users/ann", "table")


def test_the_theme_is_switched_and_kept(stage: Stage, tab: Tab) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    tab.go(f"{stage.url}/vhosts")
    light = tab.run(ground)
    for theme, is_light in (("dark", False), ("light", True)):
        choose(tab, "#theme", theme)
        tab.go(f"{stage.url}/vhosts")
        assert (tab.run(ground) == light) is is_light


def test_keys_lead_to_pages_and_tell_which(stage: Stage, tab: Tab) -> None:
    tab.go(stage.url)
    tab.see("Overview", "h1")
    tab.wait("document.querySelector('#state').dataset.state === 'live'")
    tab.press("?")
    tab.see("g q", "dialog")
    tab.click("Close", "dialog")
    tab.wait("document.querySelector('dialog') === null")
    tab.press("g")
    tab.press("q")
    tab.wait("location.pathname === '/queues'")


def test_without_a_socket_the_page_asks_by_itself(stage: Stage, tab: Tab) -> None:
    never = "constructor() { setTimeout(() => this.onclose({ code: 1006 })); }"
    script = f"window.WebSocket = class {{ static OPEN = 1; readyState = 3; {never} }};"
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    tab.go(f"{stage.url}/queues")
    tab.wait("document.querySelector('#state').dataset.state === 'polling'")
    stage.api("PUT", "/api/queues/%2F/polled", {})
    tab.see("polled", "table")


def test_who_is_out_is_led_to_log_in_and_back(stage: Stage, tab: Tab) -> None:
    # To a browser this is another host, at which nobody has logged in.
    url = stage.url.replace("127.0.0.1", "localhost")
    tab.call("Page.navigate", url=f"{url}/queues?name=x")
    tab.wait("document.querySelector('#login[data-ready]') !== null")
    tab.fill("username", "guest")
    tab.fill("password", "wrong")
    tab.click("Log in")
    tab.wait("document.querySelector('.refusal').innerText.length > 0")
    tab.fill("password", "guest")
    tab.click("Log in")
    tab.wait("location.pathname + location.search === '/queues?name=x'")
    tab.wait("document.querySelector('#state').dataset.state === 'live'")
    tab.click("Log out")
    tab.wait("location.pathname === '/login'")
