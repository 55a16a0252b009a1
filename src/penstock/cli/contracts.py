"""`penstock contracts`: what an application's events promise, kept in a file and held against what waits."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from penstock.cli.application import load_application
from penstock.cli.errors import FAILED, explained
from penstock.cli.options import ApplicationArgument, JsonOption, UrlOption
from penstock.cli.printing import print_json
from penstock.cli.reaching import first_of, maybe_broker_url, reached
from penstock.messaging.events.asyncapi import asyncapi as make_document
from penstock.messaging.events.compatibility import changes
from penstock.messaging.events.contract import contracts_of, load
from penstock.messaging.events.contract import save as save_file
from penstock.messaging.events.registry import Registry
from penstock.messaging.events.waiting import USUAL_SAMPLE, judge, sample
from penstock.messaging.headers import ERROR_CLASS
from penstock.messaging.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.messaging.application import Application
    from penstock.messaging.dead_letters import DeadLetter
    from penstock.messaging.events.compatibility import Change
    from penstock.messaging.events.waiting import Sample

__all__ = ["contracts"]

contracts = typer.Typer(
    name="contracts",
    help="Keep what an application's events promise, and find out what a change would break.",
    no_args_is_help=True,
)

#: Where the snapshot is, beside the code.
FILE: Final = Path("contracts.json")

FileOption = Annotated[Path, typer.Option("--file", metavar="FILE", help="The snapshot.")]


@contracts.command()
def save(
    application: ApplicationArgument,
    file: FileOption = FILE,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Write down what the events promise now; commit the file with the code."""
    with explained():
        now = contracts_of(load_application(application).events)
        found = list(changes(load(file), now)) if file.exists() else []
        save_file(file, now)
        if as_json:
            print_json({"file": str(file), "events": len(now), "changes": _fields(found)})
            return
        for change in found:
            _tell(change)
        typer.echo(f"{file} has {len(now)} event{'s' * (len(now) != 1)}.")


@contracts.command()
def check(
    application: ApplicationArgument,
    file: FileOption = FILE,
    url: UrlOption = None,
    sample_size: Annotated[
        int,
        typer.Option("--sample", metavar="COUNT", min=0, max=1000, help="Messages looked at in each queue."),
    ] = USUAL_SAMPLE,
    dead_letters: Annotated[
        str | None,
        typer.Option(
            "--dead-letters",
            metavar="URL",
            envvar="MQ_DEAD_LETTERS",
            help="The database that dead letters are kept in.",
        ),
    ] = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Exit with 1 if a change breaks something, or a message that waits cannot be read any more.

    What the events promise is compared with the snapshot. Then the first
    messages of each queue of the application are read as its handlers would
    read them, and put back: nobody else gets them meanwhile, and they count
    as redelivered afterwards. --sample 0 leaves them alone.
    """
    with explained():
        app = load_application(application)
        found = list(changes(load(file), contracts_of(app.events)))
        samples = asyncio.run(_samples(app, maybe_broker_url(url, app), sample_size, dead_letters))
        is_broken = any(each.breaks for each in found) or any(each.unreadable for each in samples)
        if as_json:
            looked = [asdict(each) for each in samples]
            print_json({"is_broken": is_broken, "changes": _fields(found), "samples": looked})
        else:
            for change in found:
                _tell(change)
            for each in samples:
                _tell_sample(each)
        if is_broken:
            raise typer.Exit(FAILED)
        if not as_json:
            typer.echo("Nothing is broken.")


async def _samples(app: "Application", url: str | None, size: int, database: str | None) -> "list[Sample]":
    found: list[Sample] = []
    if url is not None and size:
        found += await _waiting(app, url, size)
    elif size:
        typer.echo("Messages that wait were not looked at: name the broker with --url.", err=True)
    if database is not None:
        found.append(await _dead(app, database))
    return found


async def _waiting(app: "Application", url: str, size: int) -> "list[Sample]":
    from penstock.messaging.amqp import AmqpBroker  # noqa: PLC0415 (needed only if somebody looks)

    async with reached(url) as client:
        broker = AmqpBroker(client)
        readers = _readers(app)
        return [
            await sample(broker, readers.get(queue.name, app.events), queue, most=size)
            for queue in app.topology().queues
        ]


def _readers(app: "Application") -> dict[str, Registry]:
    """By the queue's name, the events that whoever consumes from it can read."""
    events: dict[str, list[type[Any]]] = {}
    for declaration in app.declarations:
        events.setdefault(declaration.queue_name(app.name), []).extend(declaration.events)
    return {queue: app.events.only(*of_queue) for queue, of_queue in events.items()}


async def _dead(app: "Application", database: str) -> "Sample":
    # The database's library is a large one, and needed only here.
    from penstock.messaging.dead_letters import DeadLetters, DeadLetterStore  # noqa: PLC0415

    store = DeadLetterStore(database)
    try:
        letters = await DeadLetters(store).find(limit=1000)
        return judge(app.events, "dead letters", map(_message, letters))
    finally:
        store.close()


def _message(letter: "DeadLetter") -> Message:
    """A dead letter as it would come again, with what it died of."""
    return Message(
        body=letter.body,
        id=letter.message_id,
        type=letter.type,
        version=letter.version,
        content_type=letter.content_type,
        headers={ERROR_CLASS: letter.error_class},
    )


@contracts.command()
def asyncapi(
    application: ApplicationArgument,
    url: UrlOption = None,
    release: Annotated[
        str, typer.Option("--release", metavar="VERSION", help="The application's own version.")
    ] = "1.0.0",
) -> None:
    """Write an AsyncAPI 3 document of the application, as JSON, to standard output."""
    with explained():
        app = load_application(application)
        where = maybe_broker_url(url, app)
        document = make_document(
            app.name, release, app.events, app.topology(), None if where is None else first_of(where)
        )
        typer.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


def _fields(found: "Sequence[Change]") -> list[dict[str, Any]]:
    return [{"breaks": change.breaks, "change": str(change)} for change in found]


def _tell(change: "Change") -> None:
    sign, colour = ("!", typer.colors.RED) if change.breaks else ("·", None)
    typer.secho(f"{sign} {change}", fg=colour)


def _tell_sample(found: "Sample") -> None:
    if found.skipped:
        typer.secho(f"? {found.place} was not looked at: {found.skipped}", fg=typer.colors.YELLOW)
    for each in found.unreadable:
        typer.secho(f"! {found.place}: {each}", fg=typer.colors.RED)
    if found.looked_at and not found.unreadable:
        messages = "message" if found.looked_at == 1 else "messages"
        typer.echo(f"· {found.place}: {found.looked_at} {messages} can be read")
