"""The documentation is true: its Python runs, its output is what is shown, and its links lead somewhere.

The ```python blocks of a page run in order, in one namespace and an empty folder of their own. A
```text block after one of them shows what it prints.
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as telemetry
from opentelemetry.util._once import Once

from tests.servers import penstock
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]

FENCED = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")

#: Pages with Spark are run where its session is: tests/pipelines/test_pages.py.
ON_SPARK = [page for page in PAGES if "open_session" in page.read_text()]

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: what it is, what is in it, and how many lines stand before it on the page."""

    language: str
    text: str
    lines_before: int


def blocks(page: str) -> list[Block]:
    return [
        Block(fenced["language"], fenced["text"], page.count("\n", 0, fenced.start("text")))
        for fenced in FENCED.finditer(page)
    ]


def run_page(page: str, name: str) -> None:
    """Run the page's code and hold what it prints against what the page shows."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks(page):
        if block.language == "python":
            # The empty lines make a traceback tell the page's own line numbers.
            code = compile("\n" * block.lines_before + block.text, name, "exec")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(code, namespace)
            printed = output.getvalue()
        elif block.language == "text" and printed is not None:
            assert printed == block.text, f"{name}:{block.lines_before} shows what the code does not print"
            printed = None


@pytest.fixture
def broker_url(tmp_path: Path) -> Iterator[str]:
    """A broker of one's own, for pages that talk to one."""
    running = penstock.bear(tmp_path, free_port())
    yield f"amqp://guest:guest@{HOST}:{running.port}/%2F"
    running.end()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in ON_SPARK], ids=lambda page: str(page.relative_to(ROOT))
)
def test_the_code_on_a_page_does_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    if "AMQP_URL" in page.read_text():
        monkeypatch.setenv("AMQP_URL", request.getfixturevalue("broker_url"))
    if "set_tracer_provider" in page.read_text():
        # A process may do that once; here, once for a page.
        monkeypatch.setattr(telemetry, "_TRACER_PROVIDER", None)
        monkeypatch.setattr(telemetry, "_TRACER_PROVIDER_SET_ONCE", Once())
    run_page(page.read_text(), str(page.relative_to(ROOT)))


@each_page
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    dead = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert dead == []


def test_every_page_can_be_reached_from_the_index() -> None:
    reached, to_read = set(), [ROOT / "docs" / "index.md"]
    while to_read:
        page = to_read.pop()
        reached.add(page)
        links = [(page.parent / link).resolve() for link in LINK.findall(page.read_text())]
        to_read += [link for link in links if link.suffix == ".md" and link not in reached]
    assert [str(page.relative_to(ROOT)) for page in DOCS if page not in reached] == []


SAMPLE = """
# Adding
```python
total = 1
```
More:
```python
print(total + 1)
```
This prints
```text
{shown}
```
"""


def test_a_page_shows_what_its_code_prints() -> None:
    run_page(SAMPLE.format(shown="2"), "sample.md")


def test_a_page_that_shows_something_else_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"sample\.md:11 shows what the code does not print"):
        run_page(SAMPLE.format(shown="3"), "sample.md")


def test_an_error_on_a_page_tells_the_pages_own_line() -> None:
    with pytest.raises(NameError) as caught:
        run_page(SAMPLE.replace("total = 1", "pass"), "sample.md")
    assert (caught.traceback[-1].path, caught.traceback[-1].lineno + 1) == ("sample.md", 8)
