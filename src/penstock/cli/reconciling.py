"""What `penstock reconcile --copy` does: Spark compares, then consumers are told."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import typer

from penstock.cli.progress import progress
from penstock.errors import SparkUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Engine

    from penstock.cli.progress import Tell
    from penstock.outbox import Change, Reconciler, SharedTable
    from penstock.pipelines.reconcile.reconciler import CopyReconciler

__all__ = ["reconciled"]

#: What Java may have: enough to sort millions of keys without the disk.
MEMORY: Final = "2g"


def reconciled(
    reconciler: Reconciler,
    engine: Engine,
    copies: Sequence[str],
    master: str,
    run: str | None,
    *,
    on_change: Callable[[Change], object],
    is_dry: bool = False,
    is_verbose: bool = False,
    is_quiet: bool = False,
    err: bool = False,
) -> Counter[tuple[str, str]]:
    """Tell consumers how copies differ, or only show it; what was told, or would be, by table and kind.

    Args:
        reconciler: Which tables are shared.
        engine: Their database.
        copies: URLs of databases with copies.
        master: Where Spark runs.
        run: The run's name.
        on_change: Called with each change that was told.
        is_dry: Only show.
        is_verbose: Show every row, not only some.
        is_quiet: Do not say how far it is.
        err: Show on standard error: a program reads the other.
    """
    try:
        from penstock.pipelines.reconcile.copies import Copy  # noqa: PLC0415 (an extra that others do without)
        from penstock.pipelines.reconcile.reconciler import CopyReconciler  # noqa: PLC0415
    except ModuleNotFoundError as exc:
        raise SparkUnavailable(
            "copies are compared by Spark, which is not installed: pip install penstock[spark]"
        ) from exc
    work = CopyReconciler(reconciler, engine, [Copy(url) for url in copies], run=run)
    with ExitStack() as ending:
        spark = _Later(master, ending)
        if is_dry:
            return _shown(work, spark, is_verbose=is_verbose, err=err)
        work.prepare()
        return _told(work, spark, on_change, is_quiet=is_quiet)


class _Later:
    """A Spark session that is started when it is first needed: who only carries on needs none."""

    def __init__(self, master: str, ending: ExitStack) -> None:
        self._master = master
        self._ending = ending
        self._session: Any = None

    def __call__(self) -> Any:
        if self._session is None:
            from penstock.pipelines.session import open_session  # noqa: PLC0415 (see above)

            session = open_session("reconcile", self._master, memory=MEMORY)
            self._session = self._ending.enter_context(session)
        return self._session


def _shown(
    work: CopyReconciler, spark: Callable[[], Any], *, is_verbose: bool, err: bool
) -> Counter[tuple[str, str]]:
    """Print the differences: how many of each kind in each copy, and some of them, or all."""
    counts: Counter[tuple[str, str]] = Counter()
    for shared in work.tables:
        with work.compared(spark, shared) as comparison:
            for (copy, kind), count in sorted(comparison.counts.items()):
                typer.echo(f"{shared.name} in {copy}: {count} to be {kind}", err=err)
            for copy, line in comparison.lines() if is_verbose else comparison.samples():
                typer.echo(f"  {copy}: {line}", err=err)
            for kind, count in comparison.told().items():
                counts[shared.name, kind] += count
    return counts


def _told(
    work: CopyReconciler, spark: Callable[[], Any], on_change: Callable[[Change], object], *, is_quiet: bool
) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for shared in work.tables:
        if not _carried_on(work, shared):
            with work.compared(spark, shared) as comparison:
                work.write_down(shared, comparison)
        with progress(f"differences of {shared.name}", is_quiet=is_quiet) as tell:
            counts += _tell_table(work, shared, on_change, tell)
    return counts


def _tell_table(
    work: CopyReconciler, shared: SharedTable, on_change: Callable[[Change], object], tell: Tell
) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    total = work.left(shared)

    def count(change: Change) -> None:
        counts[change.table, change.kind] += 1
        tell(counts.total(), total)
        on_change(change)

    work.tell(shared, count)
    return counts


def _carried_on(work: CopyReconciler, shared: SharedTable) -> bool:
    if left := work.left(shared):
        told = f"{shared.name}: an earlier run was broken off; {left} of its differences are told now"
        typer.echo(told, err=True)
    return left > 0
