"""`penstock did audit`: everything that a node has observed is looked at, and what does not hold is told."""

from __future__ import annotations

from collections import Counter as Tally
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from penstock.cli.did_neighbours import DATA, DataOption, DomainOption, opened_places
from penstock.cli.did_replay import Counter
from penstock.cli.errors import FAILED, explained
from penstock.cli.event_log import MASTER, MasterOption
from penstock.cli.tables import print_table

if TYPE_CHECKING:
    from penstock.pipelines.did.audit import Audit

__all__ = ["audit"]

#: Findings that are shown to people; programs get them all.
SHOWN = 50

JsonOption = Annotated[bool, typer.Option("--json", help="Everything, as JSON.")]


def audit(
    data: DataOption = DATA,
    domain: DomainOption = None,
    master: MasterOption = MASTER,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Read every anchor and its files anew, resolve every DID, on Spark; changes nothing.

    Ends with 1 if anything does not hold.
    """
    with explained():
        places = opened_places(data, domain)
        from penstock.pipelines.did.audit import audit as look  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.session import open_session  # noqa: PLC0415

        counters: dict[str, Counter] = {}
        with open_session("penstock did audit", master) as spark:
            found = look(
                spark,
                places,
                lambda what, done, total: counters.setdefault(what, Counter(what))(done, total),
            )
        if as_json:
            typer.echo(msgspec.json.encode(found))
        else:
            _show(found)
        if found.findings:
            raise typer.Exit(FAILED)


def _show(found: Audit) -> None:
    if found.findings:
        rows = [(each.kind, each.about, each.reason) for each in found.findings[:SHOWN]]
        print_table(("kind", "about", "reason"), rows)
        kinds = Tally(each.kind for each in found.findings)
        typer.echo(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    typer.echo(
        f"{found.anchors} anchors, {found.dids} DIDs and {found.operations} operations looked at: "
        f"{len(found.findings) or 'no'} findings"
    )
