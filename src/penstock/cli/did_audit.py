"""`penstock did audit`: everything that a node has observed is looked at, and what does not hold is told."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING

import msgspec
import typer

from penstock.cli.did_neighbours import opened_places
from penstock.cli.did_options import DATA, DataOption, DomainOption
from penstock.cli.errors import FAILED, explained
from penstock.cli.event_log import MASTER, MasterOption
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.progress import progress
from penstock.cli.tables import print_table

if TYPE_CHECKING:
    from penstock.cli.progress import Tell
    from penstock.pipelines.did.audit import Audit

__all__ = ["audit"]

#: Findings that are shown to people; programs get them all.
SHOWN = 50


def audit(
    data: DataOption = DATA,
    domain: DomainOption = None,
    master: MasterOption = MASTER,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Read every anchor and its files anew, resolve every DID, on Spark; changes nothing.

    Exits with 1 if anything does not hold.
    """
    with explained():
        places = opened_places(data, domain)
        from penstock.pipelines.did.audit import audit as look  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.did.session import open_did_session  # noqa: PLC0415

        with (
            open_did_session("penstock did audit", master) as spark,
            _Telling(is_quiet=as_json) as telling,
        ):
            found = look(spark, places, telling.tell)
        if as_json:
            typer.echo(msgspec.json.encode(found))
        else:
            _show(found)
        if found.findings:
            raise typer.Exit(FAILED)


class _Telling(ExitStack):
    """Tells how far one thing after another is: first anchors, then DIDs."""

    def __init__(self, *, is_quiet: bool) -> None:
        super().__init__()
        self._is_quiet = is_quiet
        self._tells: dict[str, Tell] = {}

    def tell(self, what: str, done: int, total: int) -> None:
        if what not in self._tells:
            # A terminal has room for one bar.
            self.close()
            self._tells[what] = self.enter_context(progress(what, is_quiet=self._is_quiet))
        self._tells[what](done, total)


def _show(found: Audit) -> None:
    if found.findings:
        rows = [(each.kind, each.about, each.reason) for each in found.findings[:SHOWN]]
        print_table(("kind", "about", "reason"), rows)
        kinds = Counter(each.kind for each in found.findings)
        typer.echo(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    typer.echo(
        f"{found.anchors} anchors, {found.dids} DIDs and {found.operations} operations looked at: "
        f"{len(found.findings) or 'no'} findings"
    )
