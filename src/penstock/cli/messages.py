"""`penstock messages`: look at messages, publish, take, move and follow them, on Penstock or RabbitMQ."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import base64
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from penstock.cli.errors import FAILED, explained
from penstock.cli.management import HERE, ManagementApi, asked
from penstock.cli.message_lines import as_lines
from penstock.cli.moving import run_move
from penstock.cli.options import ApiOption, JsonOption, VhostOption
from penstock.cli.printing import print_done, print_json
from penstock.cli.tailing import run_tail
from penstock.errors import BadSetting

__all__ = ["messages"]

messages = typer.Typer(
    name="messages", help="Look at messages, publish, take, move and follow them.", no_args_is_help=True
)

#: The default exchange, as the management API calls it.
DEFAULT: Final = "amq.default"
#: Bytes of a body that are shown; --json and --whole have them all.
SHOWN_BYTES: Final = 1000
#: As many as one answer of a Penstock broker has, and the messages that it shows at once.
WHOLE_BYTES: Final = 16 * 1024 * 1024
PEEKED: Final = 500

QueueArgument = Annotated[str, typer.Argument(metavar="QUEUE", help="Its name.", show_default=False)]
ToArgument = Annotated[str, typer.Argument(metavar="TO", help="Where they go.", show_default=False)]
CountOption = Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="At most so many.")]
PositionOption = Annotated[
    int, typer.Option("--position", metavar="N", min=0, help="Begin with this one; 0 is the next in line.")
]
WhereOption = Annotated[
    str | None,
    typer.Option("--where", metavar="SELECTOR", help="Only those for which this is true, \"region = 'eu'\"."),
]
WholeOption = Annotated[bool, typer.Option("--whole", help="Show bodies to their end.")]
ExchangeOption = Annotated[str, typer.Option("--exchange", metavar="NAME", help="Another than the default.")]
BodyOption = Annotated[str | None, typer.Option("--body", metavar="TEXT", help="What it says.")]
FileOption = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A file that says it; - is standard input.")
]
HeaderOption = Annotated[
    list[str] | None, typer.Option("--header", metavar="NAME=VALUE", help="A header; repeat it.")
]
PropertyOption = Annotated[
    list[str] | None,
    typer.Option("--property", metavar="NAME=VALUE", help="AMQP's own: content_type=text/plain; repeat it."),
]
TransientOption = Annotated[bool, typer.Option("--transient", help="It need not survive a restart.")]
KeyArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="A queue, or a routing key with --exchange.", show_default=False)
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many; else all that wait now.")
]
SeenOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="End after so many; else when asked to.")
]
SourceArgument = Annotated[
    str, typer.Argument(metavar="EXCHANGE", help="The exchange; with --queue, the queue.", show_default=False)
]
TailKeyOption = Annotated[str, typer.Option("--key", metavar="PATTERN", help="Only what has such a key.")]
OfQueueOption = Annotated[bool, typer.Option("--queue", help="Follow what is routed to that queue.")]

#: Properties that are numbers in the management API's JSON.
NUMBERS: Final = frozenset({"delivery_mode", "priority", "timestamp"})


@messages.command()
def peek(
    queue: QueueArgument,
    *,
    count: CountOption = 10,
    position: PositionOption = 0,
    where: WhereOption = None,
    whole: WholeOption = False,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Look at messages that wait in a queue, and leave them there.

    Penstock shows any part of a queue and touches nothing. RabbitMQ can only
    hand out the first ones and take them back, and marks them redelivered.
    """
    with explained(), asked(management) as api:
        if api.is_penstock:
            wanted = {"truncate": WHOLE_BYTES} if whole or as_json else {}
            found = _peeked(api, (vhost, queue), position, count, **wanted, **_filter(where))
            if wanted and any(each["payload_bytes"] > WHOLE_BYTES for each in found):
                typer.echo("bodies of more than 16 MiB are cut: consume them to have them whole", err=True)
        elif position or where:
            raise BadSetting("--position and --where need a Penstock broker", setting="position")
        else:
            found = _got(api, vhost, queue, count, "ack_requeue_true")
        _show(found, whole=whole, as_json=as_json)


@messages.command()
def get(
    queue: QueueArgument,
    *,
    count: CountOption = 1,
    whole: WholeOption = False,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Take messages out of a queue for good, and show them."""
    with explained(), asked(management) as api:
        _show(_got(api, vhost, queue, count, "ack_requeue_false"), whole=whole, as_json=as_json)


@messages.command()
def publish(
    key: KeyArgument,
    *,
    exchange: ExchangeOption = "",
    body: BodyOption = None,
    file: FileOption = None,
    headers: HeaderOption = None,
    properties: PropertyOption = None,
    transient: TransientOption = False,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Publish a message. Exits with 1 if no queue takes it."""
    with explained(), asked(management) as api:
        told = {"delivery_mode": 1 if transient else 2, **_properties(properties or [])}
        if headers:
            told["headers"] = _pairs(headers, "header")
        payload, encoding = _encoded(_body(body, file))
        said = {"properties": told, "routing_key": key, "payload": payload, "payload_encoding": encoding}
        done = api.post("exchanges", vhost, exchange or DEFAULT, "publish", body=said)
        line = "published" if done["routed"] else f"no queue takes it: {exchange or 'queue'} {key}"
        print_done(line, done, as_json=as_json)
        if not done["routed"]:
            raise typer.Exit(FAILED)


@messages.command()
def move(
    queue: QueueArgument,
    to: ToArgument,
    *,
    limit: LimitOption = None,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Move messages to another queue, the next in line first, each safely there before it leaves here."""
    with explained(), asked(management) as api:
        moved = run_move(api.broker_url(vhost), queue, to, limit, is_quiet=as_json)
        print_done(f"{moved} messages moved to {to}", {"moved": moved, "to": to}, as_json=as_json)


@messages.command()
def tail(
    source: SourceArgument,
    *,
    key: TailKeyOption = "#",
    of_queue: OfQueueOption = False,
    limit: SeenOption = None,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show copies of messages as they are published, until asked to stop (Ctrl-C).

    Nobody else notices: the copies come through a queue of their own, bound
    as the pattern says, or as that queue is bound.
    """
    with explained(), asked(management) as api:
        bound = _bindings(api, vhost, source) if of_queue else [(source, key, {})]
        run_tail(api.broker_url(vhost), bound, limit=limit, as_json=as_json)


# How


def _peeked(
    api: ManagementApi, where: tuple[str, str], position: int, count: int, **query: Any
) -> list[dict[str, Any]]:
    """So many messages, however many answers they take."""
    found: list[dict[str, Any]] = []
    while len(found) < count:
        asked = {"position": position, "count": min(count - len(found), PEEKED), **query}
        some = api.get("penstock", "queues", *where, "peek", **asked)
        if not some:
            break
        found += some
        position = some[-1]["position"] + 1
    return found


def _got(api: ManagementApi, vhost: str, queue: str, count: int, how: str) -> list[dict[str, Any]]:
    body = {"count": count, "ackmode": how, "encoding": "auto"}
    found: list[dict[str, Any]] = api.post("queues", vhost, queue, "get", body=body)
    return found


def _bindings(api: ManagementApi, vhost: str, queue: str) -> list[tuple[str, str, dict[str, Any]]]:
    found = [each for each in api.get("queues", vhost, queue, "bindings") if each["source"]]
    if not found:
        told = f"{queue} is bound to no exchange: what is sent to it by name alone cannot be followed; peek"
        raise BadSetting(told, setting="queue")
    return [(each["source"], each["routing_key"], each["arguments"]) for each in found]


def _filter(where: str | None) -> dict[str, str]:
    return {} if where is None else {"filter": where}


def _show(found: list[dict[str, Any]], *, whole: bool, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    for message in found:
        for line in as_lines(message, None if whole else SHOWN_BYTES):
            typer.echo(line)
    if not found:
        typer.echo("no messages", err=True)


def _body(text: str | None, file: Path | None) -> bytes:
    if text is not None and file is not None:
        raise BadSetting("a message says one thing: --body or --file", setting="body")
    if file is None:
        return (text or "").encode()
    return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()


def _encoded(body: bytes) -> tuple[str, str]:
    try:
        return body.decode(), "string"
    except UnicodeDecodeError:
        return base64.b64encode(body).decode(), "base64"


def _properties(given: list[str]) -> dict[str, Any]:
    found = _pairs(given, "property")
    for name in NUMBERS & found.keys():
        if not found[name].isdecimal():
            raise BadSetting(f"{name} is a number, not {found[name]!r}", setting="property")
        found[name] = int(found[name])
    return found


def _pairs(given: list[str], what: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in given:
        name, is_told, value = text.partition("=")
        if not (name and is_told):
            raise BadSetting(f"{text!r}: a {what} is written NAME=VALUE", setting=what)
        found[name] = value
    return found
