"""The pages of what stands beside the broker, in a real browser: triage, schedules, workers, batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.did.batches.circle import created
from tests.did.observing.helpers import suffix_in
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from tests.panel.site.stage import Stage
    from tests.servers.chromium import Tab


def test_a_dead_letter_is_read_mended_and_sent_again_then_its_group(stage: Stage, tab: Tab) -> None:
    stage.keep_letters()
    stage.api("PUT", "/api/queues/%2F/mail", {})
    stage.api("DELETE", "/api/queues/%2F/mail/contents")
    tab.go(f"{stage.url}/dead-letters")
    tab.wait("document.querySelector('tbody button.link') !== null")
    tab.run("document.querySelector('tbody button.link').click()")
    tab.click("letter-2", "#content")
    tab.see("Traceback", "pre")
    tab.fill("body", '{"template": "welcome"}')
    tab.click("Retry as it stands here")
    tab.see("Sent to the consumer once more, as it stands here.", "#notices")
    tab.wait("!document.querySelector('#content').innerText.includes('letter-2')")
    tab.click("letter-1", "#content")
    tab.click("Discard…")
    tab.click("Discard", "dialog")
    tab.see("It is gone.", "#notices")
    tab.click("Redrive group…", "#content")
    tab.click("Redrive", "dialog")
    tab.see("1 message sent to the consumer once more.", "#notices")
    tab.see("Nothing has failed for good.", "#content")
    sent = stage.api(
        "POST", "/api/queues/%2F/mail/get", {"count": 9, "ackmode": "ack_requeue_false", "encoding": "auto"}
    )
    assert sorted(each["payload"] for each in sent) == ['{"template": "welcom"}', '{"template": "welcome"}']


def retried(stage: Stage, tab: Tab, *edits: tuple[str, str]) -> dict[str, Any]:
    """A letter's message as it arrives after it was opened, edited and retried."""
    stage.api("PUT", "/api/queues/%2F/mail", {})
    stage.api("DELETE", "/api/queues/%2F/mail/contents")
    tab.go(f"{stage.url}/dead-letters")
    tab.wait("document.querySelector('tbody button.link') !== null")
    tab.run("document.querySelector('tbody button.link').click()")
    tab.click("letter-0", "#content")
    tab.see("Traceback", "pre")
    for name, text in edits:
        tab.fill(name, text)
    tab.click("Retry as it stands here")
    tab.see("Sent to the consumer once more, as it stands here.", "#notices")
    (sent,) = stage.api(
        "POST", "/api/queues/%2F/mail/get", {"count": 9, "ackmode": "ack_requeue_false", "encoding": "auto"}
    )
    return {"body": sent["payload"], **sent["properties"]["headers"]}


def test_a_letter_is_retried_as_it_was_but_for_what_was_edited_and_forgets_its_failure(
    stage: Stage, tab: Tab
) -> None:
    body = '{"id": 9007199254740993, "price": 1.0}\r\n{}'
    headers = {"region": "eu", "large": 9007199254740993, "price": 1.0}
    failure = {
        "x-penstock-attempts": 5,
        "x-penstock-expires-at": "1",
        "x-delay": 9,
        "orb-redelivery-count": 7,
    }
    given: dict[str, Any] = {"body": body.encode(), "headers": headers | failure}
    ours = {"x-penstock-retry-of": "letter-0", "x-penstock-redriven": 1, "x-penstock-type-version": 1}
    stage.keep_letters(**given)
    assert retried(stage, tab) == {"body": body, **headers, **ours}
    stage.keep_letters(**given)
    edits = ("body", body.replace("\r", "").replace("{}", "[]")), ("headers", '{"large": 9007199254740993}')
    mended = {"body": body.replace("{}", "[]"), "large": 9007199254740993}
    assert retried(stage, tab, *edits) == mended | ours


def test_letters_are_redriven_from_the_list_from_their_page_and_all_at_once(stage: Stage, tab: Tab) -> None:
    stage.keep_letters()
    stage.api("PUT", "/api/queues/%2F/mail", {})
    stage.api("DELETE", "/api/queues/%2F/mail/contents")
    tab.go(f"{stage.url}/dead-letters")
    tab.wait("document.querySelector('tbody button.link') !== null")
    tab.run("document.querySelector('tbody button.link').click()")
    tab.see("letter-0", "#content")
    tab.click("Redrive", "#content")
    tab.see("1 message sent to the consumer once more.", "#notices")
    tab.wait("!document.querySelector('#content').innerText.includes('letter-2')")
    tab.click("letter-1", "#content")
    tab.click("Redrive unchanged")
    tab.wait("!document.querySelector('#content').innerText.includes('letter-1')")
    tab.click("Redrive all…")
    tab.click("Redrive all", "dialog")
    tab.see("Nothing has failed for good.", "#content")
    assert stage.api("GET", "/api/queues/%2F/mail")["messages_ready"] == 3


def test_a_schedule_is_run_at_once_and_another_is_cancelled(stage: Stage, tab: Tab) -> None:
    for each in stage.api("GET", "/api/penstock/schedules"):
        stage.api("DELETE", f"/api/penstock/schedules/{quote(each['key'], safe='')}")
    stage.schedule("nightly", 4000)
    stage.schedule("weekly", 100_000)
    tab.go(f"{stage.url}/schedules")
    tab.see("1 d 3 h", "table")
    tab.see("1 h ", "table")
    # The first is due first.
    tab.click("Run now", "table")
    tab.see("nightly is due now.", "#notices")
    tab.wait("document.querySelector('tbody tr').innerText.includes('now')")
    for key in ("nightly", "weekly"):
        tab.click("Cancel…", "table")
        tab.click("Cancel it", "dialog")
        tab.see(f"{key} is cancelled.", "#notices")
        tab.wait(f"!document.querySelector('#content').innerText.includes('{key}')")
    tab.see("Nothing is scheduled.", "#content")


def test_a_cron_is_shown_without_buttons_that_cannot_work(stage: Stage, tab: Tab) -> None:
    row = "[...document.querySelectorAll('tbody tr')].find((row) => row.innerText.includes('each-morning'))"
    with stage.cron("each-morning", "0 6 * * *"):
        tab.go(f"{stage.url}/schedules")
        tab.see("each-morning", "table")
        assert tab.run(f"{row}.querySelectorAll('button').length") == 0


def test_what_an_outbox_has_set_aside_is_put_back(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/outbox")
    tab.see("set aside", "#content")
    first = "[...document.querySelectorAll('tbody tr td')].slice(0, 1).map((each) => each.innerText).join()"
    assert tab.run(first) == "1"
    tab.click("Put back", "table")
    tab.see("They will be relayed again.", "#notices")
    tab.wait(f"{first} === '2'")


def test_a_worker_shows_its_job_with_progress(stage: Stage, tab: Tab) -> None:
    with stage.worker(0.4):
        tab.go(f"{stage.url}/workers")
        tab.see("40 %", "table")
        assert tab.run("document.querySelector('progress').value") == pytest.approx(0.4)
        tab.see("/thumb/make", "table")
        tab.see("live", "section:last-child table")


def test_pipelines_show_their_rate_their_lag_their_error_and_sparks_page(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/pipelines")
    rows = (
        "Object.fromEntries([...document.querySelectorAll('tbody tr')].map((row) => [row.cells[0].innerText"
    )
    told = tab.wait(f"{rows}, [...row.cells].slice(1, 5).map((cell) => cell.innerText)]))")
    assert told["orders"] == ["running", "120/s", "8", "3"]
    assert told["hostile"][0] == "died"
    links = tab.run("[...document.querySelectorAll('tbody a')].map((each) => each.href)")
    assert links == ["http://127.0.0.1:4040/"], "and none to what is no page"


def test_a_batch_is_followed_from_its_operations_to_a_did_that_resolves(stage: Stage, tab: Tab) -> None:
    spoilt, good = (suffix_in(created(Life(name))) for name in ("spoilt", "good"))
    tab.go(f"{stage.url}/batches")
    tab.see("Waiting", ".facts")
    states = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[1].innerText).join()"
    tab.wait(f"{states} === 'cut,observed,observed'")
    tab.click("2", "table")
    tab.see("2 in them, 1 deferred, 1 refused", ".life")
    tab.see("1 stored, 1 can never count", ".life")
    tab.see("0 witnesses asked, 0 proofs had", ".life")
    assert tab.run("document.querySelectorAll('.life li.open').length") == 0
    outcomes = "[...document.querySelectorAll('tbody tr')].map((row) => row.cells[2].innerText).join()"
    tab.wait(f"{outcomes} === 'refused,unfit,deferred,resolvable'")
    tab.wait(
        "[...document.querySelectorAll('tbody a')].filter((each) => each.title.startsWith('did:orb:uEi')"
        f" && each.innerText === '{good}').map((each) => each.click()).length === 1"
    )
    tab.see("resolves", ".facts")
    tab.see("didDocument", "pre")
    # And back: the batch that its create came in.
    tab.click("2", "table")
    tab.wait("location.pathname === '/batches/2'")
    tab.go(f"{stage.url}/dids/{spoilt}")
    tab.see("create", "table")
    assert tab.run("document.querySelectorAll('tbody tr').length") == 1, "what can never count is not stored"


def test_the_operations_of_a_large_batch_are_turned_page_by_page(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/batches/3")
    tab.see("1 to 100 of 101", ".count")
    assert tab.run("document.querySelectorAll('.life li.open').length") == 6, "it was cut, and nothing else"
    tab.click("\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", ".pager")
    tab.see("101 to 101 of 101", ".count")
    tab.wait("document.querySelectorAll('tbody tr').length === 1")
    tab.click("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", ".pager")
    tab.see("1 to 100 of 101", ".count")


def test_what_is_declared_and_not_there_is_told_until_it_is(stage: Stage, tab: Tab) -> None:
    tab.go(f"{stage.url}/topology")
    tab.see("wanted", "table")
    tab.see("create", "table")
    stage.api("PUT", "/api/queues/%2F/wanted", {"durable": True})
    tab.go(f"{stage.url}/topology")
    tab.see("The broker has what is declared.", "#content")


def test_a_messages_life_is_told_from_publish_to_ack(stage: Stage, tab: Tab) -> None:
    stage.api("PUT", "/api/queues/%2F/living", {})
    stage.publish("living", "x", message_id="m-1")
    for ackmode in ("ack_requeue_true", "ack_requeue_false"):
        stage.api("POST", "/api/queues/%2F/living/get", {"count": 1, "ackmode": ackmode, "encoding": "auto"})
    tab.go(f"{stage.url}/queues/%2F/living")
    tab.go(f"{stage.url}/messages")
    tab.fill("id", "m-1")
    tab.click("Show its life")
    tab.see("Acked, and gone from living", ".life")
    steps = tab.run("[...document.querySelectorAll('.life li')].map((each) => each.className)")
    assert steps == ["published", "routed", "delivered", "returned", "delivered", "acked"]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/batches/4711", "This broker cannot tell about the DID batch 4711"),
        ("/dids/nobody", "This broker cannot tell about the DID nobody"),
        ("/messages/%2F/nobody", "This broker cannot tell the life of this message"),
        ("/queues/%2F/nothing", "This broker cannot tell about the queue nothing"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(stage: Stage, tab: Tab, path: str, sentence: str) -> None:
    tab.go(stage.url + path)
    tab.see(sentence, ".absent")
