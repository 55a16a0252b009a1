"""What holders of DIDs type: create, update, recover, deactivate, resolve, settle, wallet.

Each loads what it needs when it runs: the other commands start sooner.
"""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli.did_options import (
    AlgorithmOption,
    AlsoKnownAsOption,
    DocumentOption,
    KeyOption,
    NameArgument,
    OriginOption,
    PatchesOption,
    RemoveAlsoKnownAsOption,
    RemoveKeyOption,
    RemoveServiceOption,
    ServiceOption,
    UrlOption,
    WaitOption,
    WalletOption,
    WithinOption,
)
from penstock.cli.errors import explained
from penstock.cli.options import JsonOption, YesOption
from penstock.cli.tables import print_table
from penstock.clock import SystemClock
from penstock.errors import Unavailable, UnknownDid

if TYPE_CHECKING:
    from penstock.did.client import Holder, Wallet, WalletFolder

__all__ = ["COMMANDS", "create", "deactivate", "recover", "resolve", "settle", "update", "wallet"]

#: Where `penstock did up` puts the first domain.
DEFAULT_URL: Final = "http://127.0.0.1:8326"
#: Seconds: a batch waits for others up to a minute, and is witnessed then.
WITHIN: Final = 180.0

MaybeNameArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="What it is to be called in the wallet; else its suffix.", show_default=False
    ),
]


def create(
    *,
    name: MaybeNameArgument = None,
    key: KeyOption = None,
    service: ServiceOption = None,
    also_known_as: AlsoKnownAsOption = None,
    document: DocumentOption = None,
    patches: PatchesOption = None,
    algorithm: AlgorithmOption = "ES256",
    origin: OriginOption = None,
    url: UrlOption = None,
    folder: WalletOption = None,
    wait: WaitOption = False,
    within: WithinOption = WITHIN,
    as_json: JsonOption = False,
) -> None:
    """Create a DID, with keys that are made for it and kept in the wallet.

    Without anything else its document has one new key, `main`, to authenticate and to assert with.
    """
    with explained():
        from penstock.cli.did_flags import DEFAULT_KEY, read_changes  # noqa: PLC0415  see above
        from penstock.did.client import Beginning  # noqa: PLC0415

        changes = read_changes(
            algorithm,
            key=key,
            service=service,
            also_known_as=also_known_as,
            document=document,
            patches=patches,
            default_key=DEFAULT_KEY,
        )
        holder = _holder(folder, url)
        how = Beginning(url=url or DEFAULT_URL, algorithm=algorithm, origin=origin)
        called, made = holder.create(name, changes, how)
        _finish(holder, called, made, wait=wait, within=within, as_json=as_json)


def update(
    *,
    name: NameArgument,
    key: KeyOption = None,
    service: ServiceOption = None,
    also_known_as: AlsoKnownAsOption = None,
    remove_key: RemoveKeyOption = None,
    remove_service: RemoveServiceOption = None,
    remove_also_known_as: RemoveAlsoKnownAsOption = None,
    document: DocumentOption = None,
    patches: PatchesOption = None,
    url: UrlOption = None,
    folder: WalletOption = None,
    wait: WaitOption = False,
    within: WithinOption = WITHIN,
    as_json: JsonOption = False,
) -> None:
    """Change a DID's document: add and remove keys, services and other names."""
    with explained():
        from penstock.cli.did_flags import read_changes  # noqa: PLC0415  as above

        holder, called = _holding(folder, url, name)
        changes = read_changes(
            holder.folder.read(called).algorithm,
            key=key,
            service=service,
            also_known_as=also_known_as,
            remove_key=remove_key,
            remove_service=remove_service,
            remove_also_known_as=remove_also_known_as,
            document=document,
            patches=patches,
        )
        _finish(holder, called, holder.update(called, changes), wait=wait, within=within, as_json=as_json)


def recover(
    *,
    name: NameArgument,
    key: KeyOption = None,
    service: ServiceOption = None,
    also_known_as: AlsoKnownAsOption = None,
    document: DocumentOption = None,
    patches: PatchesOption = None,
    url: UrlOption = None,
    folder: WalletOption = None,
    wait: WaitOption = False,
    within: WithinOption = WITHIN,
    as_json: JsonOption = False,
) -> None:
    """Begin a DID's document anew, with the recovery key, and have new keys for what comes.

    What is not said again is gone: without anything else the document has one new key, `main`.
    """
    with explained():
        from penstock.cli.did_flags import DEFAULT_KEY, read_changes  # noqa: PLC0415  as above

        holder, called = _holding(folder, url, name)
        changes = read_changes(
            holder.folder.read(called).algorithm,
            key=key,
            service=service,
            also_known_as=also_known_as,
            document=document,
            patches=patches,
            default_key=DEFAULT_KEY,
        )
        _finish(holder, called, holder.recover(called, changes), wait=wait, within=within, as_json=as_json)


def deactivate(
    *,
    name: NameArgument,
    url: UrlOption = None,
    folder: WalletOption = None,
    wait: WaitOption = False,
    within: WithinOption = WITHIN,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """End a DID, after asking. It cannot be used again, by anybody, ever."""
    with explained():
        holder, called = _holding(folder, url, name)
        if not yes:
            typer.confirm(f"Deactivate {holder.folder.read(called).did} for ever?", abort=True, err=True)
        _finish(holder, called, holder.deactivate(called), wait=wait, within=within, as_json=as_json)


def resolve(
    *,
    did: Annotated[
        str,
        typer.Argument(
            metavar="DID", help="A DID in any form, or its name in the wallet.", show_default=False
        ),
    ],
    version_id: Annotated[
        str | None, typer.Option("--version-id", metavar="ID", help="The version with that versionId.")
    ] = None,
    version_time: Annotated[
        str | None,
        typer.Option("--version-time", metavar="TIME", help="As it was then: 2026-05-10T17:00:00Z."),
    ] = None,
    url: UrlOption = None,
    folder: WalletOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the document of a DID, as a domain resolves it."""
    with explained():
        from penstock.cli.did_showing import show_result  # noqa: PLC0415  as above
        from penstock.did.client import RemoteDomain  # noqa: PLC0415

        asked, where = did, url or DEFAULT_URL
        if not did.startswith("did:"):
            held = _folder(folder).read(did)
            asked, where = held.did, url or held.domain
        found = RemoteDomain(where).resolve(asked, version=version_id, until=version_time)
        if found is None:
            raise UnknownDid(f"{where} does not know {asked[:200]}, or not in that version, or not yet")
        show_result(found, as_json=as_json)


def settle(
    *,
    name: NameArgument,
    url: UrlOption = None,
    folder: WalletOption = None,
    wait: WaitOption = False,
    within: WithinOption = WITHIN,
    again: Annotated[
        bool, typer.Option("--again", help="Post what is not anchored once more, for a domain that lost it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find out what became of a DID's operations, and post those that no domain has."""
    with explained():
        holder, called = _holding(folder, url, name)
        _finish(holder, called, holder.settle(called, again=again), wait=wait, within=within, as_json=as_json)


def wallet(
    *,
    folder: WalletOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the DIDs in the wallet, and how far they have come, without asking anybody."""
    with explained():
        kept = _folder(folder)
        held = [(name, kept.read(name)) for name in kept.names()]
        if as_json:
            told = [
                {"name": name, "did": each.did, "standing": each.standing.name.lower(), "domain": each.domain}
                for name, each in held
            ]
            typer.echo(json.dumps({"wallet": str(kept.path), "dids": told}, indent=2))
            return
        rows = [(name, each.did, each.standing.value, each.algorithm, each.domain) for name, each in held]
        print_table(("name", "did", "state", "keys", "domain"), rows)


#: What `penstock did` has of this file.
COMMANDS: Final = (create, update, recover, deactivate, resolve, settle, wallet)


def _folder(folder: Path | None) -> "WalletFolder":
    from penstock.did.client.folder import WalletFolder, default_folder  # noqa: PLC0415  as above

    return WalletFolder(folder or default_folder(os.environ))


def _holder(folder: Path | None, url: str | None) -> "Holder":
    from penstock.did.client import Holder  # noqa: PLC0415  as above

    return Holder(_folder(folder), clock=SystemClock(), url=url)


def _holding(folder: Path | None, url: str | None, told: str) -> "tuple[Holder, str]":
    holder = _holder(folder, url)
    return holder, holder.folder.name_of(told)


def _finish(holder: "Holder", name: str, made: "Wallet", *, wait: bool, within: float, as_json: bool) -> None:
    from penstock.cli.did_showing import Waiting, show_wallet  # noqa: PLC0415  as above

    if wait:
        made = holder.wait(name, within=within, tell=Waiting())
    try:
        result = holder.result(name)
    except Unavailable:
        # What was asked for is done; whoever was told that it failed would do it once more.
        result = None
    show_wallet(name, made, result, file=str(holder.folder.file(name)), as_json=as_json)
