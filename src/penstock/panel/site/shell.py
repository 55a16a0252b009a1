"""The shell of a page: head, menu, landmarks, and an empty place that the page's module fills. Pure.

Written by hand: it is one template. Every value goes through `escape`; there is no script or style within it,
as the content security policy demands.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from penstock.panel.site.assets import ASSETS
from penstock.panel.site.pages import LOGIN, menu

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.panel.site.pages import Page

__all__ = ["HTML", "render", "render_login"]

HTML: Final = "text/html; charset=utf-8"

#: In this order; side by side, not one from within the other, so that they come in one go.
STYLES: Final = tuple(
    f"{name}.css" for name in ("tokens", "shell", "controls", "tables", "charts", "parts", "wiring")
)
#: Loaded along with the page's own module, not after it: a module is read before its imports are known.
PRELOADED: Final = tuple(
    path for path in ASSETS.files if path.startswith("core/") and path != "core/theme.js"
)

_HEAD: Final = """<!doctype html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Penstock</title>
<link rel="icon" href="{icon}" type="image/svg+xml">
{styles}
<script src="{theme}"></script>
{preloads}
<script type="module" src="{module}"></script>
</head>
"""
_BODY: Final = """<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/"><img src="{icon}" alt="" width="22" height="22"> Penstock</a>
<span id="state" role="status" data-state="connecting">Connecting…</span>
<span class="space"></span>
<label for="theme" class="unseen">Colours</label>
<select id="theme"><option value="auto">System</option><option value="light">Light</option>
<option value="dark">Dark</option></select>
<span class="who" id="who">{user}</span>
<button id="logout">Log out</button>
</header>
<nav aria-label="Pages">{menu}</nav>
<main id="main" tabindex="-1">
<h1>{title}</h1>
<div id="content"><noscript><p>This page needs JavaScript; the HTTP API at /api does not.</p></noscript></div>
</main>
<div id="notices" role="status" aria-live="polite"></div>
</body>
</html>
"""
_LOGIN: Final = """<body class="login">
<main id="main">
<form id="login" method="post" action="/login">
<h1><img src="{icon}" alt="" width="32" height="32"> Penstock</h1>
<div class="field"><label for="username">User</label>
<input id="username" name="username" value="{username}" autocomplete="username" autofocus required></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<input type="hidden" name="next" value="{next}">
<p class="refusal" role="alert">{refusal}</p>
<button class="primary">Log in</button>
</form>
</main>
</body>
</html>
"""


def render(page: Page, user: str, tags: Iterable[str]) -> str:
    """A page for somebody who has logged in."""
    groups = "".join(
        f'<h2 id="menu-{at}">{escape(group.name)}</h2><ul aria-labelledby="menu-{at}">'
        + "".join(_entry(each, page) for each in group.pages)
        + "</ul>"
        for at, group in enumerate(menu(tags))
    )
    body = _BODY.format(icon=_icon(), title=escape(page.title), user=escape(user), menu=groups)
    return _head(page) + body


def render_login(next_path: str, *, username: str = "", refusal: str = "") -> str:
    """The page on which somebody logs in, and where they go then; and why they were refused, if they were."""
    told = {"next": escape(next_path), "username": escape(username), "refusal": escape(refusal)}
    return _head(LOGIN) + _LOGIN.format(icon=_icon(), **told)


def _entry(entry: Page, page: Page) -> str:
    current = ' aria-current="page"' if entry.path in {page.path, page.under} else ""
    return f'<li><a href="{entry.path}" data-key="{entry.key}"{current}>{escape(entry.title)}</a></li>'


def _head(page: Page) -> str:
    wanted = PRELOADED if page is not LOGIN else ()
    return _HEAD.format(
        title=escape(page.title),
        icon=_icon(),
        styles="\n".join(f'<link rel="stylesheet" href="{ASSETS.address(path)}">' for path in STYLES),
        theme=ASSETS.address("core/theme.js"),
        module=ASSETS.address(f"pages/{page.module}"),
        preloads="\n".join(f'<link rel="modulepreload" href="{ASSETS.address(path)}">' for path in wanted),
    )


def _icon() -> str:
    return ASSETS.address("icon.svg")
