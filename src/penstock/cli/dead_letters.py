"""`penstock dead-letters`: look at what could not be handled, and send it to its consumer once more.

What needs a database is loaded when a command of these runs: the others start a quarter of a second sooner.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli.errors import FAILED, explained
from penstock.cli.options import JsonOption, YesOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_json
from penstock.cli.progress import progress
from penstock.cli.reaching import broker_url, reached
from penstock.errors import BadSelector, BadSetting, MessagingError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from penstock.messaging.dead_letters import DeadLetters, DeadLetterStore, Edit, Redrive, Selection

__all__ = ["dead_letters"]

dead_letters = typer.Typer(
    name="dead-letters",
    help="Look at messages that could not be handled, and send them to their consumer once more.",
    no_args_is_help=True,
)

#: The environment's word for where they are kept.
VARIABLE: Final = "MQ_DEAD_LETTERS"

StoreOption = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="URL",
        envvar=VARIABLE,
        help="Where they are kept: sqlite:///FILE or postgresql://…",
        show_default=False,
    ),
]
UrlOption = Annotated[
    str | None, typer.Option("--url", metavar="URL", help="The broker to send to; else MQ_URL says it.")
]
ConsumerOption = Annotated[
    str | None, typer.Option("--consumer", metavar="NAME", help="Only this consumer's.")
]
TypeOption = Annotated[str | None, typer.Option("--type", metavar="NAME", help="Only messages of this type.")]
GroupOption = Annotated[
    str | None, typer.Option("--group", metavar="GROUP", help="Only this group; `groups` lists them.")
]
StateOption = Annotated[
    str, typer.Option("--state", metavar="STATE", help="Only in this state: dead, redriven, retried, any.")
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="SELECTOR",
        help="Only those for which this is true, e.g. \"attempts > 3 AND region = 'eu'\".",
    ),
]
AllOption = Annotated[bool, typer.Option("--all", help="All of them, if nothing else says which.")]
BodyOption = Annotated[
    Path | None, typer.Option("--body", metavar="FILE", help="A file with another body; - is standard input.")
]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The message's id.")]
IdsArgument = Annotated[list[str] | None, typer.Argument(metavar="ID", help="The messages' ids.")]


@dead_letters.command(name="list")
def list_(
    store: StoreOption,
    consumer: ConsumerOption = None,
    type_: TypeOption = None,
    group: GroupOption = None,
    state: StateOption = "dead",
    where: WhereOption = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 50,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """List dead letters, the newest failure first."""
    from penstock.messaging.dead_letters.showing import as_fields, as_line  # noqa: PLC0415 (see above)

    with _opened(store) as kept:
        found = kept.newest(_selection(consumer, type_, group, state, where), limit)
        lines = [as_line(letter) for letter in found]
        _print([as_fields(letter) for letter in found], lines, as_json=as_json)


@dead_letters.command()
def groups(
    store: StoreOption,
    consumer: ConsumerOption = None,
    type_: TypeOption = None,
    state: StateOption = "dead",
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Count dead letters by consumer, kind of error and type, the largest group first."""
    from penstock.messaging.dead_letters.showing import (  # noqa: PLC0415 (see above)
        group_as_fields,
        group_as_line,
    )

    with _opened(store) as kept:
        found = kept.groups(_selection(consumer, type_, None, state, None))
        lines = [group_as_line(group) for group in found]
        _print([group_as_fields(group) for group in found], lines, as_json=as_json)


@dead_letters.command()
def show(
    store: StoreOption,
    message_id: IdArgument,
    consumer: ConsumerOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Show one dead letter: the error, where it was raised, the headers, the body."""
    from penstock.messaging.dead_letters.showing import as_fields, as_page  # noqa: PLC0415 (see above)

    with _opened(store) as kept:
        letter = kept.get(message_id, consumer)
        _print(as_fields(letter), [as_page(letter)], as_json=as_json)


@dead_letters.command()
def retry(
    store: StoreOption,
    message_id: IdArgument,
    consumer: ConsumerOption = None,
    url: UrlOption = None,
    body: BodyOption = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", metavar="NAME=VALUE", help="Another header.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="NAME", help="Take this header out.")
    ] = None,
    queue: Annotated[
        str | None, typer.Option("--queue", metavar="NAME", help="Another queue than the one it failed in.")
    ] = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Send an edited message, with an id of its own, in place of a dead one."""
    from penstock.messaging.dead_letters import Edit  # noqa: PLC0415 (see above)

    with _opened(store) as kept:
        edit = Edit(body=_body(body), headers=_headers(header or [], without or []), queue=queue)
        new_id = asyncio.run(_retried(kept, broker_url(url), message_id, consumer, edit))
        _print({"message_id": new_id}, [f"sent as {new_id}"], as_json=as_json)


@dead_letters.command()
def redrive(
    store: StoreOption,
    message_ids: IdsArgument = None,
    consumer: ConsumerOption = None,
    type_: TypeOption = None,
    group: GroupOption = None,
    where: WhereOption = None,
    everything: AllOption = False,  # noqa: FBT002 (an option that is not given)
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="N", help="At most so many a second.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = None,
    url: UrlOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Send dead letters to the consumer that failed on them, and to no other."""
    with _opened(store) as kept:
        chosen = _selection(consumer, type_, group, "dead", where, message_ids)
        _demand_a_choice(chosen, everything=everything)
        with progress("dead letters", is_quiet=as_json) as tell:
            total = _total(kept, chosen, limit)
            redriving = _redriven(
                kept, broker_url(url), chosen, rate, limit, lambda tried: tell(tried, total)
            )
            done = asyncio.run(redriving)
        fields = {"redriven": done.redriven, "failed": done.failed, "errors": list(done.errors)}
        _print(fields, [f"{done.redriven} redriven, {done.failed} failed", *done.errors], as_json=as_json)
        if done.failed:
            raise typer.Exit(FAILED)


@dead_letters.command()
def delete(
    store: StoreOption,
    message_ids: IdsArgument = None,
    consumer: ConsumerOption = None,
    type_: TypeOption = None,
    group: GroupOption = None,
    state: StateOption = "dead",
    where: WhereOption = None,
    everything: AllOption = False,  # noqa: FBT002 (an option that is not given)
    yes: YesOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Delete dead letters for good, after asking."""
    with _opened(store) as kept:
        chosen = _selection(consumer, type_, group, state, where, message_ids)
        _demand_a_choice(chosen, everything=everything)
        if not yes:
            there = kept.maybe_count(chosen)
            told = "all dead letters that fit" if there is None else f"{there} dead letters"
            typer.confirm(f"Delete {told} for good?", abort=True, err=True)
        count = kept.delete(chosen)
        _print({"deleted": count}, [f"{count} deleted"], as_json=as_json)


async def _retried(kept: DeadLetterStore, url: str, message_id: str, consumer: str | None, edit: Edit) -> str:
    async with _letters(kept, url) as letters:
        return await letters.retry(message_id, edit, consumer)


async def _redriven(
    kept: DeadLetterStore,
    url: str,
    chosen: Selection,
    rate: float | None,
    limit: int | None,
    on_progress: Callable[[int], object],
) -> Redrive:
    async with _letters(kept, url) as letters:
        return await letters.redrive(chosen, rate=rate, limit=limit, on_progress=on_progress)


def _total(kept: DeadLetterStore, chosen: Selection, limit: int | None) -> int | None:
    """How many there are to redrive; None if nobody knows before."""
    there = kept.maybe_count(chosen)
    return there if there is None or limit is None else min(there, limit)


@asynccontextmanager
async def _letters(kept: DeadLetterStore, url: str) -> AsyncIterator[DeadLetters]:
    from penstock.messaging.amqp import AmqpBroker  # noqa: PLC0415 (see above)
    from penstock.messaging.dead_letters import DeadLetters  # noqa: PLC0415 (see above)

    async with reached(url) as client:
        yield DeadLetters(kept, AmqpBroker(client))


# What was written on the command line


@contextmanager
def _opened(store: str) -> Iterator[DeadLetterStore]:
    from penstock.messaging.dead_letters import DeadLetterStore  # noqa: PLC0415 (see above)

    with explained():
        kept = DeadLetterStore(store)
        try:
            kept.create()
            yield kept
        finally:
            kept.close()


def _selection(
    consumer: str | None,
    type_: str | None,
    group: str | None,
    state: str,
    where: str | None,
    message_ids: list[str] | None = None,
) -> Selection:
    from penstock.messaging.dead_letters import Selection  # noqa: PLC0415 (see above)

    try:
        return Selection(
            consumer=consumer,
            type=type_,
            group=group,
            state=None if state == "any" else state,
            where=where,
            message_ids=tuple(message_ids or ()),
        )
    except (BadSelector, MessagingError) as exc:
        raise BadSetting(str(exc), setting="where") from exc


def _demand_a_choice(chosen: Selection, *, everything: bool) -> None:
    if chosen.is_everything and not everything:
        raise BadSetting(
            "which ones? Name ids, --group, --consumer, --type or --where; or --all", setting="all"
        )


def _body(file: Path | None) -> bytes | None:
    if file is None:
        return None
    return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()


def _headers(given: list[str], without: list[str]) -> dict[str, Any]:
    headers: dict[str, Any] = dict.fromkeys(without)
    for text in given:
        name, is_told, value = text.partition("=")
        if not is_told:
            raise BadSetting(f"{text!r}: a header is written NAME=VALUE", setting="header")
        headers[name] = value
    return headers


def _print(fields: Any, lines: list[str], *, as_json: bool) -> None:
    if as_json:
        print_json(fields)
        return
    for line in lines:
        typer.echo(line)
