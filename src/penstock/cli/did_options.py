"""Arguments and options that several commands about DIDs have in common, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

__all__ = [
    "DATA",
    "AlgorithmOption",
    "AlsoKnownAsOption",
    "DataOption",
    "DocumentOption",
    "DomainOption",
    "KeyOption",
    "NameArgument",
    "OriginOption",
    "PatchesOption",
    "RemoveAlsoKnownAsOption",
    "RemoveKeyOption",
    "RemoveServiceOption",
    "ServiceOption",
    "UrlOption",
    "WaitOption",
    "WalletOption",
    "WithinOption",
]

DOCUMENT: Final = "The document"
WALLET: Final = "The wallet and the domain"

#: The folder of `penstock did up`, if nobody says otherwise.
DATA: Final = Path(".penstock", "did")

DataOption = Annotated[
    Path, typer.Option("--data", metavar="FOLDER", help="The folder of `penstock did up`.")
]
DomainOption = Annotated[
    str | None,
    typer.Option("--domain", metavar="NAME", help="Which, if the folder has several: orb, orb2, …"),
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The DID's name in the wallet, or the DID.", show_default=False)
]
KeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="ID[:PURPOSE,…][@FILE]",
        help="Add a key: a new one, or the public one (a JWK) of a file. May be repeated.",
        rich_help_panel=DOCUMENT,
    ),
]
ServiceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--service", metavar="ID:TYPE:URL", help="Add a service. May be repeated.", rich_help_panel=DOCUMENT
    ),
]
AlsoKnownAsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--also-known-as",
        metavar="URI",
        help="Add another name of the subject. May be repeated.",
        rich_help_panel=DOCUMENT,
    ),
]
RemoveKeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--remove-key", metavar="ID", help="Remove a key. May be repeated.", rich_help_panel=DOCUMENT
    ),
]
RemoveServiceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--remove-service", metavar="ID", help="Remove a service. May be repeated.", rich_help_panel=DOCUMENT
    ),
]
RemoveAlsoKnownAsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--remove-also-known-as",
        metavar="URI",
        help="Remove another name. May be repeated.",
        rich_help_panel=DOCUMENT,
    ),
]
DocumentOption = Annotated[
    Path | None,
    typer.Option(
        "--document",
        metavar="FILE",
        help="Add all that a JSON file has: publicKeys, services, alsoKnownAs.",
        rich_help_panel=DOCUMENT,
    ),
]
PatchesOption = Annotated[
    Path | None,
    typer.Option(
        "--patches",
        metavar="FILE",
        help="A list of Sidetree patches in JSON, applied last.",
        rich_help_panel=DOCUMENT,
    ),
]
AlgorithmOption = Annotated[
    str, typer.Option("--algorithm", metavar="NAME", help="What its keys sign with: ES256, ES256K or EdDSA.")
]
OriginOption = Annotated[
    str | None,
    typer.Option("--origin", metavar="URI", help="Who anchors the DID; else the domain tells who it is."),
]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        envvar="PENSTOCK_DID_URL",
        help="The domain; else the one that the DID was created at, or http://127.0.0.1:8326.",
        show_envvar=True,
        rich_help_panel=WALLET,
    ),
]
WalletOption = Annotated[
    Path | None,
    typer.Option(
        "--wallet",
        metavar="FOLDER",
        envvar="PENSTOCK_WALLET",
        help="Where keys are kept; else penstock/wallet among your data (XDG_DATA_HOME).",
        show_envvar=True,
        rich_help_panel=WALLET,
    ),
]
WaitOption = Annotated[bool, typer.Option("--wait", help="Wait until it is anchored.")]
WithinOption = Annotated[
    float, typer.Option("--within", metavar="SECONDS", min=0, help="How long that may take.")
]
