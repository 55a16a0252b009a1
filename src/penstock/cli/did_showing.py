"""How commands show a DID: a few lines and the document for people, one object for programs.

A document is whoever's who holds the DID, and the rest is what a domain says: what could make a terminal do
things is shown as what it is.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import typer

from penstock.cli.message_lines import harmless
from penstock.did.client.wallet import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.did.client.wallet import Wallet

__all__ = ["Waiting", "show_result", "show_wallet"]

#: What is still to come, by how far a DID has come.
NEXT: Final = {
    Standing.WRITTEN: "not known whether the domain has it",
    Standing.ACCEPTED: "in the domain's queue, to be anchored with the next batch",
    Standing.ANCHORED: "in force wherever it is resolved",
    Standing.DEACTIVATED: "for ever",
}


def show_wallet(
    name: str, wallet: Wallet, result: Mapping[str, Any] | None, *, file: str, as_json: bool
) -> None:
    """A DID after a command.

    Args:
        name: Its name in the wallet.
        wallet: Itself; its private keys are not shown.
        result: What its domain says of it; None if it does not know it yet.
        file: Where its keys are.
        as_json: For programs.
    """
    if as_json:
        told = {
            "name": name,
            "did": wallet.did,
            "longForm": wallet.long_form,
            "standing": wallet.standing.name.lower(),
            "pending": [step.type for step in wallet.steps],
            "domain": wallet.domain,
            "wallet": file,
            "result": result,
        }
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"did     {harmless(wallet.did)}")
    typer.echo(f"state   {wallet.standing.value}: {NEXT[wallet.standing]}")
    typer.echo(f"wallet  {name} in {file}")
    if result is not None:
        typer.echo(_pretty(result["didDocument"]))


def show_result(result: Mapping[str, Any], *, as_json: bool) -> None:
    """A resolved DID: what is said about it on standard error, its document on standard output."""
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    told = result.get("didDocumentMetadata", {})
    about = {
        "canonical": told.get("canonicalId", "none: it is not anchored yet"),
        "version": told.get("versionId"),
        "created": told.get("created"),
        "updated": told.get("updated"),
        "deactivated": "yes, for ever" if told.get("deactivated") else None,
    }
    for name, value in about.items():
        if value is not None:
            typer.echo(f"{name:<12}{harmless(str(value))}", err=True)
    typer.echo(_pretty(result["didDocument"]))


class Waiting:
    """Tells what is waited for, on standard error: a line for each step; on a terminal, dots between."""

    def __init__(self) -> None:
        self._last: Standing | None = None
        self._has_dots = sys.stderr.isatty()

    def __call__(self, wallet: Wallet) -> None:
        """A look at the DID."""
        if wallet.standing is self._last:
            typer.echo("." * self._has_dots, err=True, nl=False)
            return
        line_end = "\n" * (self._has_dots and self._last is not None)
        self._last = wallet.standing
        typer.echo(
            f"{line_end}{wallet.standing.value} …", err=True, nl=not self._has_dots or not wallet.steps
        )


def _pretty(document: Any) -> str:
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return "\n".join("".join(map(_visible, line)) for line in text.split("\n"))


def _visible(letter: str) -> str:
    """The same letter in JSON, whatever it is."""
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]
