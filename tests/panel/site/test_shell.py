"""The shell: everything is escaped, nothing is inline, landmarks are there."""

from __future__ import annotations

import re

from penstock.panel.routes import ADMINISTRATOR
from penstock.panel.site.assets import ASSETS
from penstock.panel.site.pages import LOGIN, PAGES
from penstock.panel.site.shell import render, render_login

HOSTILE = """<script>alert(1)</script>"'&"""


def test_a_users_name_is_text() -> None:
    page = render(PAGES[0], HOSTILE, [])
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;" in page


def test_where_to_go_after_login_is_text() -> None:
    page = render_login(HOSTILE)
    assert HOSTILE not in page
    assert 'value="&lt;script&gt;' in page


def test_nothing_is_inline() -> None:
    for page in PAGES:
        text = render(page, "guest", [ADMINISTRATOR])
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", text), page.path


def test_everything_that_is_loaded_is_there_and_ours() -> None:
    for page in PAGES:
        for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', render(page, "guest", [])):
            assert address.removeprefix(f"/static/{ASSETS.mark}/") in ASSETS.files
    assert "//" not in re.sub(r'"[^"]*static[^"]*"', "", render(PAGES[0], "guest", []))


def test_the_page_in_sight_is_marked_in_the_menu_and_so_is_the_one_it_belongs_to() -> None:
    queues = next(page for page in PAGES if page.path == "/queues")
    queue = next(page for page in PAGES if page.under == "/queues")
    for page in (queues, queue):
        assert re.findall(r'<a href="([^"]+)"[^>]*aria-current="page"', render(page, "guest", [])) == [
            "/queues"
        ]


def test_there_are_landmarks_a_title_and_a_way_past_the_menu() -> None:
    text = render(PAGES[0], "guest", [])
    for part in (
        "<header>",
        '<nav aria-label="Pages">',
        '<main id="main"',
        "<h1>Overview</h1>",
        'href="#main"',
    ):
        assert part in text
    assert "<title>Overview · Penstock</title>" in text


def test_who_was_refused_is_told_so_in_text() -> None:
    text = render_login("/", username=HOSTILE, refusal=HOSTILE)
    assert HOSTILE not in text
    assert '<p class="refusal" role="alert">&lt;script&gt;' in text


def test_the_page_to_log_in_on_works_without_a_script() -> None:
    text = render_login("/queues")
    assert '<form id="login" method="post" action="/login">' in text
    assert 'name="next" value="/queues"' in text
    assert ASSETS.address(f"pages/{LOGIN.module}") in text
