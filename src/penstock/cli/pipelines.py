"""`penstock pipelines`: list, run, look after and try out what an application declares.

Spark is loaded when a command needs it: the others start sooner.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli.aligned import aligned
from penstock.cli.application import load_module
from penstock.cli.errors import FAILED, explained
from penstock.cli.logs import set_up_logs
from penstock.cli.options import JsonOption, YesOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_done, print_json
from penstock.cli.stopping import ASKING, stopping
from penstock.cli.supervising import READY
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from penstock.pipelines.declared import Pipelines
    from penstock.pipelines.declared.place import Place
    from penstock.pipelines.declared.status import Status

__all__ = ["pipelines"]

pipelines = typer.Typer(
    name="pipelines",
    help="Run the pipelines that an application declares, and look after them.",
    no_args_is_help=True,
)

ModuleArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODULE[:NAME]",
        help="The module that declares them, such as commons.pipelines, or one of its names.",
        show_default=False,
    ),
]
NamesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="PIPELINE", help="Only these; all if none is named.")
]
NameArgument = Annotated[str, typer.Argument(metavar="PIPELINE", help="Which.", show_default=False)]
DataOption = Annotated[
    Path,
    typer.Option("--data", metavar="FOLDER", help="Where checkpoints are, a folder for each pipeline."),
]
DATA: Final = Path(".penstock", "pipelines")
MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="Where Spark works: local[2], spark://host:7077, …")
]
MASTER: Final = "local[*]"
SettingsOption = Annotated[
    list[str] | None, typer.Option("--conf", metavar="NAME=VALUE", help="A setting of Spark's own.")
]
FilesOption = Annotated[
    list[Path] | None,
    typer.Option("--py-files", metavar="FILE", help="A module, or a zip of some, that executors need."),
]
BriefOption = Annotated[bool, typer.Option("--brief", help="Start sooner, work slower: for little data.")]
OnceOption = Annotated[bool, typer.Option("--once", help="End when all that is there now is done.")]
RowsOption = Annotated[int, typer.Option("--rows", metavar="N", min=1, help="At most so many rows.")]


@pipelines.command(name="list")
def list_(
    module: ModuleArgument,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """List the pipelines: where rows come from, where they go, how often."""
    with explained():
        rows = [
            (each.name, str(each.source), str(each.sink), each.shown_trigger) for each in _declared(module)
        ]
        if as_json:
            names = ("pipeline", "source", "sink", "trigger")
            print_json([dict(zip(names, row, strict=True)) for row in rows])
        else:
            _show(aligned(("PIPELINE", "SOURCE", "SINK", "TRIGGER"), rows))


@pipelines.command()
def run(
    module: ModuleArgument,
    names: NamesArgument = None,
    data: DataOption = DATA,
    once: OnceOption = False,  # noqa: FBT002 (an option that is not given)
    master: MasterOption = MASTER,
    brief: BriefOption = False,  # noqa: FBT002 (an option that is not given)
    settings: SettingsOption = None,
    py_files: FilesOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Run pipelines in one session until asked to stop (Ctrl-C, or the signal TERM).

    One that fails is tried again, later and later, while the others go on. Rows that make a batch fail
    whatever is done are set aside. Exits with 1 if one has failed for good.
    """
    with explained():
        set_up_logs()
        chosen = _declared(module).chosen(names or ())
        with (
            stopping(*ASKING) as on_signals,
            _session(f"pipelines of {module}", master, settings or (), py_files or (), brief=brief) as spark,
        ):
            from penstock.clock import SystemClock  # noqa: PLC0415 (see above)
            from penstock.pipelines.declared.supervising import Supervisor  # noqa: PLC0415

            supervisor = Supervisor(chosen, data, spark, clock=SystemClock(), once=once)
            on_signals(supervisor.stop)
            typer.echo(f"{READY}: {', '.join(each.name for each in chosen)}", err=as_json)
            ends = supervisor.run()
        if as_json:
            print_json(ends)
        else:
            _show(f"{name}: {state}" for name, state in ends.items())
        if "failed" in ends.values():
            raise typer.Exit(FAILED)


@pipelines.command()
def status(
    module: ModuleArgument,
    names: NamesArgument = None,
    data: DataOption = DATA,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Show how pipelines are doing, as far as those who run them have told."""
    with explained():
        from penstock.pipelines.declared.status import read_status  # noqa: PLC0415 (see above)

        found = [read_status(place) for place in _places(_declared(module).chosen(names or ()), data)]
        if as_json:
            print_json([each.as_fields() for each in found])
        else:
            _show(_status_lines(found))


@pipelines.command(name="dry-run")
def dry_run(
    module: ModuleArgument,
    name: NameArgument,
    rows: RowsOption = 10,
    master: MasterOption = MASTER,
    settings: SettingsOption = None,
    py_files: FilesOption = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Show what a pipeline makes of a few rows. Nothing is committed, nothing is written."""
    with explained():
        chosen = _declared(module)[name]
        chosen.source.check(name)
        with _session(f"dry run of {name}", master, settings or (), py_files or (), brief=True) as spark:
            from penstock.pipelines.declared.trial import try_out  # noqa: PLC0415 (see above)

            trial = try_out(chosen, spark, rows)
        if as_json:
            names = [column for column, _ in trial.columns]
            made = [dict(zip(names, row, strict=True)) for row in trial.rows]
            print_json({"columns": dict(trial.columns), "rows": made})
            return
        _show(aligned(("COLUMN", "TYPE"), trial.columns))
        typer.echo("")
        _show(aligned([column for column, _ in trial.columns], trial.rows))


@pipelines.command()
def reset(
    module: ModuleArgument,
    name: NameArgument,
    data: DataOption = DATA,
    yes: YesOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Let a pipeline forget how far it came, after asking. It must not be running."""
    with explained():
        chosen = _declared(module)[name]
        [place] = _places(_declared(module).chosen([name]), data)
        with place.held():
            typer.echo(f"Pipeline {name} forgets how far it came ({place.checkpoint}).", err=as_json)
            typer.echo(f"When it runs again, {chosen.source.after_reset}.", err=as_json)
            typer.echo(f"And {chosen.sink.after_reset}.", err=as_json)
            if not yes:
                typer.confirm("Reset it?", abort=True, err=as_json)
            place.forget()
            print_done("done", {"reset": name}, as_json=as_json)


# What was written on the command line


def _declared(text: str) -> Pipelines:
    """The pipelines of a module, or those that one of its names stands for."""
    from penstock.pipelines.declared import Pipeline, Pipelines  # noqa: PLC0415 (see above)

    module_name, separator, name = text.partition(":")
    module = load_module(module_name)
    if not separator:
        found = Pipelines.of(module)
        if not len(found):
            raise BadSetting(f"{module_name} declares no pipelines: see @pipeline", setting="module")
        return found
    value = getattr(module, name, None)
    if isinstance(value, Pipeline):
        return Pipelines([value])
    if isinstance(value, Pipelines):
        return value
    there = ", ".join(key for key, each in vars(module).items() if isinstance(each, Pipeline | Pipelines))
    raise BadSetting(f"{module_name} has no pipelines {name!r}; there is {there or 'none'}", setting="module")


def _places(chosen: Pipelines, data: Path) -> list[Place]:
    from penstock.pipelines.declared.place import Place  # noqa: PLC0415 (see above)

    return [Place(data, each.name) for each in chosen]


def _session(
    name: str, master: str, settings: Sequence[str], py_files: Sequence[Path], *, brief: bool = False
) -> AbstractContextManager[Any]:
    """A Spark session; the name of its type is spoken in pipelines only."""
    from penstock.pipelines.session import open_session  # noqa: PLC0415 (see above)

    spark = open_session(name, master, settings=_settings(settings), brief=brief)
    for file in py_files:
        spark.sparkContext.addPyFile(str(file))
    return spark


def _settings(given: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for text in given:
        name, is_told, value = text.partition("=")
        if not is_told:
            raise BadSetting(f"--conf {text}: a setting is written NAME=VALUE", setting="conf")
        found[name] = value
    return found


# What is shown


def _status_lines(found: list[Status]) -> list[str]:
    headings = (
        "PIPELINE",
        "STATE",
        "BATCH",
        "ROWS",
        "ROWS/S",
        "LAG",
        "FAILED",
        "SET ASIDE",
        "UPDATED",
        "ERROR",
    )
    rows = [
        (
            each.pipeline,
            each.state,
            each.batch,
            each.metrics.rows,
            f"{each.metrics.rows_per_second:.1f}",
            each.metrics.lag,
            each.metrics.failures,
            each.metrics.set_aside,
            None if each.at is None else f"{datetime.fromtimestamp(each.at, UTC):%Y-%m-%d %H:%M:%S}",
            each.error,
        )
        for each in found
    ]
    return aligned(headings, rows)


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)
