"""What `penstock reconcile --copy` does: Spark compares, then consumers are told."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import typer

from penstock.errors import SparkUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Engine

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
    is_dry: bool,
    on_change: Callable[[Change], object],
) -> Counter[tuple[str, str]]:
    """Tell consumers how copies differ, or only show it; what was told, or would be, by table and kind."""
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
            return _shown(work, spark)
        work.prepare()
        return _told(work, spark, on_change)


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


def _shown(work: CopyReconciler, spark: Callable[[], Any]) -> Counter[tuple[str, str]]:
    """Print the differences: how many of each kind in each copy, and some of them."""
    counts: Counter[tuple[str, str]] = Counter()
    for shared in work.tables:
        with work.compared(spark, shared) as comparison:
            for (copy, kind), count in sorted(comparison.counts.items()):
                typer.echo(f"{shared.name} in {copy}: {count} to be {kind}")
            for copy, line in comparison.samples():
                typer.echo(f"  {copy}: {line}")
            for kind, count in comparison.told().items():
                counts[shared.name, kind] += count
    return counts


def _told(
    work: CopyReconciler, spark: Callable[[], Any], on_change: Callable[[Change], object]
) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()

    def count(change: Change) -> None:
        counts[change.table, change.kind] += 1
        on_change(change)

    for shared in work.tables:
        if not _carried_on(work, shared):
            with work.compared(spark, shared) as comparison:
                work.write_down(shared, comparison)
        work.tell(shared, count)
    return counts


def _carried_on(work: CopyReconciler, shared: SharedTable) -> bool:
    if left := work.left(shared):
        typer.echo(f"{shared.name}: an earlier run was broken off; {left} of its differences are told now")
    return left > 0
