"""`penstock did demo`: a DID's life from create to deactivate, and what happens where meanwhile.

The domains are of its own, started by `penstock did up` in a folder that is gone afterwards, or those that it
is given. Whatever it shows it has asked for over HTTP, as anybody could.
"""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import unquote

import typer
from rich.console import Console
from rich.markup import escape

from penstock.cli.did_options import AlgorithmOption
from penstock.cli.did_starting import started_domains
from penstock.cli.errors import explained
from penstock.clock import SystemClock
from penstock.errors import PenstockError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.client import Changes, RemoteDomain, Wallet
    from penstock.did.client.story import AnchorStory

__all__ = ["Demo", "demo"]

NAME: Final = "demo"
#: Seconds between two looks at another domain.
LOOK_EVERY: Final = 0.2

UrlsOption = Annotated[
    list[str] | None,
    typer.Option("--url", metavar="URL", help="A domain that is there already; repeat it for others."),
]
DomainsOption = Annotated[
    int, typer.Option("--domains", metavar="N", min=1, max=5, help="How many domains to start.")
]
WithinOption = Annotated[
    float, typer.Option("--within", metavar="SECONDS", min=1, help="How long each step may take.")
]


def demo(
    *,
    urls: UrlsOption = None,
    domains: DomainsOption = 2,
    algorithm: AlgorithmOption = "ES256",
    within: WithinOption = 300.0,
) -> None:
    """Show a DID's life: created, updated, recovered and deactivated, on domains started for it."""
    with explained(), ExitStack() as opened:
        from penstock.did.client.holder import new_key  # noqa: PLC0415 (the other commands start sooner)

        # Whoever has mistyped it does not wait for domains and Spark before they hear of it.
        new_key(algorithm)
        console = Console(highlight=False, soft_wrap=True)
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="penstock-demo-")))
        tell = partial(console.print, markup=False, style="dim")
        found = urls or opened.enter_context(started_domains(domains, folder / "domains", tell))
        Demo(console, found, folder / "wallet", algorithm=algorithm, within=within).run()


class Demo:
    """One life."""

    def __init__(
        self, console: Console, urls: list[str], folder: Path, *, algorithm: str, within: float
    ) -> None:
        from penstock.did.client import Holder, RemoteDomain, WalletFolder  # noqa: PLC0415  others start sooner

        self._console = console
        self._home, *self._others = [RemoteDomain(url) for url in urls]
        self._clock = SystemClock()
        self._holder = Holder(WalletFolder(folder), clock=self._clock)
        self._algorithm = algorithm
        self._within = within

    def run(self) -> None:
        """From create to deactivate.

        Raises:
            PenstockError: a step did not come to its end.
        """
        from penstock.did.client import Beginning  # noqa: PLC0415  as above

        holder, console = self._holder, self._console
        how = Beginning(url=self._home.url, algorithm=self._algorithm)
        for title, verb in (
            ("create: a key to authenticate with", lambda: holder.create(NAME, self._key("main"), how)[1]),
            ("update: a website", lambda: holder.update(NAME, _site())),
            ("recover: the keys are lost, all begins anew", lambda: holder.recover(NAME, self._key("new"))),
            ("deactivate: the end", lambda: holder.deactivate(NAME)),
        ):
            console.rule(f"[bold]{title}", align="left")
            self._follow(verb)
        console.rule()
        console.print("Do it yourself: docs/tutorials/did-life.md", style="dim")

    def _follow(self, verb: "Callable[[], Wallet]") -> None:
        """One operation, from the wallet to every domain."""
        begun = self._clock.now()
        wallet = verb()
        size = len(wallet.steps[-1].request)
        self._tell("queued", f"{size} bytes, signed and checked, are in the queue of {self._home.url}", begun)
        with self._console.status("waiting for the batch, its anchor and its witnesses …"):
            wallet = self._holder.wait(NAME, within=self._within)
        result = self._holder.result(NAME) or {}
        version = result.get("didDocumentMetadata", {}).get("versionId", "")
        story = self._story(version, wallet.suffix)
        if story is not None:
            self._tell_story(story, begun)
        self._tell("observed", f"by {self._home.url}: {wallet.did}", begun)
        for other in self._others:
            with self._console.status(f"waiting for {other.url} …"):
                self._wait_for(other, wallet.did, result)
            self._tell("observed", f"by {other.url}, which resolves it alike", begun)
        self._tell("resolved", _summary(result), begun)

    def _story(self, version: str, suffix: str) -> "AnchorStory | None":
        from penstock.did.client.story import AnchorStory  # noqa: PLC0415  as above

        linkset = self._home.content(version) if version else None
        try:
            return None if linkset is None else AnchorStory.of(version, linkset, suffix)
        except PenstockError as exc:
            # A domain of another make: what it anchors may be told otherwise.
            self._console.print(f"  its anchor cannot be read here: {exc}", style="yellow", markup=False)
            return None

    def _tell_story(self, story: "AnchorStory", begun: float) -> None:
        others, now = story.operations - 1, self._clock.now()
        together = f"with {others} other{'s' * (others > 1)}" if others else "alone: nobody else had one"
        after = f", after {story.previous}" if story.previous else ""
        # By the domain's clock, which may not be ours.
        at = min(max(story.issued_at, begun), now)
        self._tell("batch", f"it was cut {together}", begun, at)
        self._tell("anchored", f"in {story.name}{after}", begun, at)
        witnesses = [unquote(each.removeprefix("did:web:")) for each in story.signers[1:]]
        self._tell("witnessed", f"by {', '.join(witnesses) or 'nobody else: there is nobody to ask'}", begun)

    def _wait_for(self, other: "RemoteDomain", did: str, expected: dict[str, Any]) -> None:
        """Until another domain has the same version of the same document."""
        until = self._clock.now() + self._within
        while _essence(other.resolve(did)) != _essence(expected):
            if self._clock.now() >= until:
                raise Unavailable(f"{other.url} does not resolve {did} alike within {self._within:g} seconds")
            time.sleep(LOOK_EVERY)

    def _tell(self, what: str, how: str, begun: float, at: float | None = None) -> None:
        seconds = (self._clock.now() if at is None else at) - begun
        self._console.print(f"  [green]{what:<10}[/] [dim]{seconds:5.1f} s[/]  {escape(how)}")

    def _key(self, name: str) -> "Changes":
        from penstock.cli.did_flags import read_changes  # noqa: PLC0415  as above

        return read_changes(self._algorithm, key=[name])


def _site() -> "Changes":
    from penstock.did.client import Changes  # noqa: PLC0415  as above

    site = {"id": "site", "type": "LinkedDomains", "serviceEndpoint": "https://example.com"}
    return Changes(services=[site])


def _essence(result: dict[str, Any] | None) -> tuple[Any, Any]:
    """What two domains must agree on."""
    told = result or {}
    return told.get("didDocument"), told.get("didDocumentMetadata", {}).get("versionId")


def _summary(result: dict[str, Any]) -> str:
    """A document in a line."""
    if result.get("didDocumentMetadata", {}).get("deactivated"):
        return "deactivated, for ever"
    document = result.get("didDocument", {})
    keys = [each["id"].rpartition("#")[2] for each in document.get("verificationMethod", [])]
    services = [each["serviceEndpoint"] for each in document.get("service", [])]
    return f"keys: {', '.join(keys) or 'none'}; services: {', '.join(services) or 'none'}"
