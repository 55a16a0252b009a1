"""`penstock queues`: the queues of a broker, Penstock or RabbitMQ, by its management API."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import json
from typing import Annotated, Any, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.management import HERE, asked
from penstock.cli.moving import run_move
from penstock.cli.options import ApiOption, JsonOption, VhostOption, YesOption
from penstock.cli.printing import print_done, print_fields, print_rows
from penstock.cli.progress import progress
from penstock.errors import BadSetting

__all__ = ["queues"]

queues = typer.Typer(
    name="queues", help="Look at a broker's queues; make, empty, move and delete them.", no_args_is_help=True
)

#: Of what a broker tells about a queue, what a person looks for first.
COLUMNS: Final = (
    "name",
    "type",
    "state",
    "messages_ready",
    "messages_unacknowledged",
    "messages",
    "consumers",
)
SHOWN: Final = (
    *("name", "vhost", "type", "state", "durable", "auto_delete", "exclusive", "arguments", "policy"),
    *("messages", "messages_ready", "messages_unacknowledged", "message_bytes", "consumers", "memory"),
    *("head_message_timestamp", "oldest_age"),
)

NameArgument = Annotated[str, typer.Argument(metavar="QUEUE", help="Its name.", show_default=False)]
NamesArgument = Annotated[
    list[str], typer.Argument(metavar="QUEUE", help="Its name; several may be named.", show_default=False)
]
ToArgument = Annotated[str, typer.Argument(metavar="TO", help="Where they go.", show_default=False)]
MatchOption = Annotated[
    str | None, typer.Option("--name", metavar="REGEX", help="Only queues whose name has this in it.")
]
EverywhereOption = Annotated[bool, typer.Option("--all-vhosts", help="Of all virtual hosts.")]
DurableOption = Annotated[bool, typer.Option("--durable/--transient", help="Whether it survives a restart.")]
ArgumentOption = Annotated[
    list[str] | None,
    typer.Option("--argument", metavar="NAME=JSON", help="Such as x-message-ttl=60000; repeat it."),
]
EmptyOption = Annotated[bool, typer.Option("--if-empty", help="Only if no message is in it.")]
UnusedOption = Annotated[bool, typer.Option("--if-unused", help="Only if nobody consumes from it.")]


@queues.command(name="list")
def list_(
    name: MatchOption = None,
    *,
    vhost: VhostOption = "/",
    everywhere: EverywhereOption = False,
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List queues, and how full they are."""
    query = {} if name is None else {"name": name, "use_regex": "true"}
    with explained(), asked(management) as api:
        found = api.get("queues", *([] if everywhere else [vhost]), **_paged(query))
        rows = found["items"] if isinstance(found, dict) else found
        print_rows(rows, ("vhost", *COLUMNS) if everywhere else COLUMNS, as_json=as_json)


@queues.command()
def show(
    queue: NameArgument,
    *,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show one queue: what it is, what is in it, what flows, who consumes, what is bound to it."""
    with explained(), asked(management) as api:
        found = api.get("queues", vhost, queue)
        found["bindings"] = [
            f"{each['source']} by {each['routing_key'] or each['arguments']}"
            for each in api.get("queues", vhost, queue, "bindings")
            if each["source"]
        ]
        fields = {name: found[name] for name in SHOWN if found.get(name) not in (None, {})}
        fields |= {f"{name} /s": rate for name, rate in _rates(found).items()}
        print_fields(found if as_json else fields | {"bindings": found["bindings"]}, as_json=as_json)


@queues.command()
def declare(
    queue: NameArgument,
    *,
    durable: DurableOption = True,
    arguments: ArgumentOption = None,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Make a queue; one that is there and like that is left as it is."""
    with explained(), asked(management) as api:
        body = {"durable": durable, "auto_delete": False, "arguments": _arguments(arguments or [])}
        api.put("queues", vhost, queue, body=body)
        print_done(f"queue {queue} is there", {"name": queue, "vhost": vhost, **body}, as_json=as_json)


@queues.command()
def purge(
    names: NamesArgument,
    *,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Drop every message that waits in a queue, or in several, after asking."""
    with explained(), asked(management) as api:
        # All are looked for before one is emptied.
        count = sum(api.get("queues", vhost, each).get("messages_ready", 0) for each in names)
        if not yes:
            # RabbitMQ counts every five seconds.
            told = f"Drop all messages of {', '.join(names)} for good ({count} by the last count)?"
            typer.confirm(told, abort=True, err=True)
        with progress("queues", is_quiet=as_json) as tell:
            for done, each in enumerate(names, 1):
                api.delete("queues", vhost, each, "contents")
                tell(done, len(names))
        are_empty = "is empty" if len(names) == 1 else "are empty"
        print_done(f"{', '.join(names)} {are_empty}", {"purged": names}, as_json=as_json)


@queues.command()
def delete(
    queue: NameArgument,
    *,
    if_empty: EmptyOption = False,
    if_unused: UnusedOption = False,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Delete a queue with what is in it, after asking."""
    conditions = {"if-empty": if_empty, "if-unused": if_unused}
    with explained(), asked(management) as api:
        count = api.get("queues", vhost, queue).get("messages", 0)
        if not yes:
            told = f"Delete {queue} with all its messages ({count} by the last count)?"
            typer.confirm(told, abort=True, err=True)
        api.delete("queues", vhost, queue, **{name: "true" for name, is_so in conditions.items() if is_so})
        print_done(f"queue {queue} is deleted", {"deleted": queue}, as_json=as_json)


@queues.command()
def move(
    queue: NameArgument,
    to: ToArgument,
    *,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Move all that waits in a queue now to another queue, each safely there before it leaves here."""
    with explained(), asked(management) as api:
        moved = run_move(api.broker_url(vhost), queue, to, is_quiet=as_json)
        print_done(f"{moved} messages moved to {to}", {"moved": moved, "to": to}, as_json=as_json)


def _paged(query: dict[str, str]) -> dict[str, Any]:
    """A name is looked for by page only, as RabbitMQ has it; one page of the largest size."""
    return {"page": 1, "page_size": 500, **query} if query else {}


def _rates(found: dict[str, Any]) -> dict[str, float]:
    told = found.get("message_stats") or {}
    details = {
        name.removesuffix("_details"): each for name, each in told.items() if name.endswith("_details")
    }
    return {name: each["rate"] for name, each in details.items() if each.get("rate")}


def _arguments(given: list[str]) -> dict[str, Any]:
    found = {}
    for text in given:
        name, is_told, value = text.partition("=")
        if not (name and is_told):
            raise BadSetting(f"{text!r}: an argument is written NAME=VALUE", setting="argument")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
