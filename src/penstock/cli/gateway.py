"""`penstock gateway`: a WebSocket gateway, until it is asked to stop."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli.application import load_module
from penstock.cli.errors import explained
from penstock.cli.reaching import maybe_broker_url
from penstock.errors import BadSetting
from penstock.settings.address import Address

if TYPE_CHECKING:
    from penstock.workers.gateway import GatewaySettings, Policy, SessionTokens

__all__ = ["gateway"]

PolicyArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[MODULE:POLICY]", help="What clients may do, such as game.live:policy; else the options say."
    ),
]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="The broker; else MQ_URL says it, or it is inside the gateway."
    ),
]
ListenOption = Annotated[
    str, typer.Option("--listen", metavar="HOST:PORT", help="Where it listens; port 0 is any that is free.")
]
NameOption = Annotated[
    str,
    typer.Option(
        "--name", metavar="NAME", help="What it is called, no other like it; else by host and port."
    ),
]
OriginOption = Annotated[
    list[str] | None,
    typer.Option("--origin", metavar="URL", help="Whose pages may connect, besides those of the same host."),
]
ChannelOption = Annotated[
    list[str] | None,
    typer.Option("--channel", metavar="NAME", help="A channel to hear besides its own, such as ps_building."),
]
RouteOption = Annotated[
    list[str] | None,
    typer.Option("--route", metavar="ROUTE=QUEUE", help="What clients may ask for, and where it is a job."),
]
RoomOption = Annotated[
    list[str] | None,
    typer.Option("--room", metavar="NAME", help="A room that clients may join; with * at the end, all such."),
]
SecretOption = Annotated[
    Path | None,
    typer.Option("--secret", metavar="FILE", help="What session tokens are signed with: 32 bytes or more."),
]
CertificateOption = Annotated[
    Path | None, typer.Option("--certificate", metavar="FILE", help="For TLS: the certificate, PEM.")
]
KeyOption = Annotated[
    Path | None, typer.Option("--key", metavar="FILE", help="Its key, if that is a file of its own.")
]
TokenOption = Annotated[
    str | None,
    typer.Option("--token-for", metavar="USER", help="Print a session token for a user, and do no more."),
]
HERE: Final = "127.0.0.1:8100"


def gateway(
    policy: PolicyArgument = None,
    url: UrlOption = None,
    listen: ListenOption = HERE,
    name: NameOption = "",
    origins: OriginOption = None,
    channels: ChannelOption = None,
    routes: RouteOption = None,
    rooms: RoomOption = None,
    secret: SecretOption = None,
    certificate: CertificateOption = None,
    key: KeyOption = None,
    token_for: TokenOption = None,
) -> None:
    """Run a WebSocket gateway until asked to stop (Ctrl-C, or the signal TERM).

    Clients open a session with a token, ask for what is allowed here, and get
    what is sent to their user or to a room they are in. Start as many as there
    are clients for: all that share a broker reach the same users.
    """
    with explained():
        if find_spec("websockets") is None:
            hint = 'pip install "penstock[websocket]"'
            raise BadSetting(f"a gateway needs the library websockets: {hint}", setting="gateway")
        if token_for is not None:
            typer.echo(_tokens(secret).issue(token_for))
            return
        from penstock.cli.gateway_process import run_gateway  # noqa: PLC0415 (other commands start sooner)

        decided = _loaded(policy) if policy is not None else _written(secret, routes or [], rooms or [])
        settings = _settings(listen, name, origins or [], channels or [])
        run_gateway(maybe_broker_url(url), decided, settings, certificate=certificate, key=key)


def _settings(listen: str, name: str, origins: list[str], channels: list[str]) -> GatewaySettings:
    from penstock.workers.gateway import GatewaySettings  # noqa: PLC0415 (as above)

    try:
        address = Address.read(listen)
    except ValueError as exc:
        raise BadSetting(f"listen: {exc}", setting="listen") from exc
    return GatewaySettings(address=address, name=name, origins=frozenset(origins), channels=tuple(channels))


def _loaded(text: str) -> Policy:
    from penstock.workers.gateway import Policy  # noqa: PLC0415 (as above)

    module, _, name = text.partition(":")
    found = getattr(load_module(module), name, None) if name else None
    if not isinstance(found, Policy):
        raise BadSetting(
            f"{text!r}: a policy is named like game.live:policy, and is a Policy", setting="policy"
        )
    return found


def _written(secret: Path | None, routes: list[str], rooms: list[str]) -> Policy:
    from penstock.workers.gateway import ClientRoute, Policy, open_rooms  # noqa: PLC0415 (as above)

    found = {}
    for text in routes:
        route, sign, queue = text.partition("=")
        if not (route and sign and queue):
            raise BadSetting(f"{text!r}: a route is given like /fleet/send=bg_fleet", setting="route")
        found[route] = ClientRoute(queue=queue)
    return Policy(check_token=_tokens(secret), routes=found, may_join=open_rooms(rooms))


def _tokens(secret: Path | None) -> SessionTokens:
    from penstock.workers.gateway import SessionTokens  # noqa: PLC0415 (as above)

    if secret is None:
        hint = "such as one made with: head -c 32 /dev/urandom > secret"
        raise BadSetting(f"session tokens are signed: name a file with --secret, {hint}", setting="secret")
    try:
        return SessionTokens(secret.read_bytes())
    except OSError as exc:
        raise BadSetting(f"the secret cannot be read: {exc}", setting="secret") from exc
