"""Reports as pictures: PNG or SVG, drawn without a screen."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from penstock.pipelines.reports.style import COLOURS, INK, PALE, REST, colours, picture, save

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from penstock.pipelines.reports.report import Report

__all__ = ["draw", "plot", "seconds_shown"]

#: Bars, or lines, that one picture shows; what is left over is told in words, or drawn as one.
MOST_BARS: Final = 20
_OTHERS: Final = "others"
#: What a lead time is told by, and how it is drawn.
_SHARES: Final = {"50 %": COLOURS[0], "95 %": COLOURS[1], "99 %": COLOURS[5]}
#: Seconds: what is shorter is drawn there.
_SHORTEST: Final = 1e-4
_MARKS: Final = (0.0001, 0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 86400, 864000)
#: Inches of a bar, and of what is above and below all of them.
_BAR: Final = 0.36
_MARGIN: Final = 1.5


def draw(report: Report, folder: Path, suffix: str = "png") -> Path | None:
    """Write the picture of a report, and return where it is; None if there is nothing to see."""
    if not report.rows:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{report.name}.{suffix}"
    save(plot(report), path)
    return path


def plot(report: Report) -> Figure:
    """The picture of a report."""
    return _PLOTS[report.name](report)


def _rates(report: Report) -> Figure:
    """A stacked area: the height is all events, the bands are the types."""
    figure, axes = picture(report.title)
    totals: Counter[str] = Counter()
    for kind, count in zip(report.column("type"), report.column("events"), strict=True):
        totals[kind] += count
    shown = [kind for kind, _ in totals.most_common(len(COLOURS))]
    bands: dict[str, dict[Any, float]] = {kind: defaultdict(float) for kind in shown}
    others = defaultdict[Any, float](float)
    for at, kind, _, rate in report.rows:
        (bands.get(kind, others))[at] += rate
    if others:
        bands[_OTHERS] = others
    spans: Any = _without_gaps(report)
    named = {kind: kind or "without a type" for kind in bands}
    axes.stackplot(
        spans,
        [[band[at] for at in spans] for band in bands.values()],
        labels=list(named.values()),
        colors=[*colours(shown).values(), REST],
        linewidth=0,
        step="post",
    )
    axes.set_ylabel("events a second")
    axes.margins(x=0)
    axes.set_ylim(bottom=0)
    axes.grid(visible=False, axis="x")
    locator: Any = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    _legend(axes, reverse=True)
    return figure


def _retries(report: Report) -> Figure:
    """A bar for each consumer: the first attempts, and after them the others."""
    bars: dict[str, Counter[str]] = defaultdict(Counter)
    for consumer, attempt, deliveries, _ in report.rows:
        bars[consumer][_attempt(attempt)] += deliveries
    return _stacked(
        report.title, bars, "deliveries", order=["first attempt", "second", "third", "fourth", "later"]
    )


def _failures(report: Report) -> Figure:
    """A bar for each reason: which consumers' messages died of it."""
    bars: dict[str, Counter[str]] = defaultdict(Counter)
    consumers: Counter[str] = Counter()
    for reason, consumer, _, messages, _ in report.rows:
        bars[reason][consumer] += messages
        consumers[consumer] += messages
    return _stacked(report.title, bars, "messages", order=[name for name, _ in consumers.most_common()])


def _lead_times(report: Report) -> Figure:
    """A line for each route and consumer, from the median to the slowest in a hundred."""
    rows = report.rows[:MOST_BARS][::-1]
    figure, axes = picture(report.title, height=_MARGIN + _BAR * len(rows))
    for number, row in enumerate(rows):
        times = [max(value, _SHORTEST) for value in row[3:6]]
        axes.plot(
            [times[0], times[-1]], [number] * 2, color=REST, linewidth=4, solid_capstyle="round", zorder=1
        )
        axes.scatter(times, [number] * len(times), s=44, c=list(_SHARES.values()), zorder=2)
    for name, colour in _SHARES.items():
        axes.scatter([], [], s=44, color=colour, label=name)
    axes.set_yticks(
        range(len(rows)), [f"{route or '(default)'} → {consumer}" for route, consumer, *_ in rows]
    )
    axes.set_ylim(-0.6, len(rows) - 0.4)
    _time_axis(axes, max(min(row[3] for row in rows), _SHORTEST), max(row[5] for row in rows))
    axes.grid(visible=False, axis="y")
    _legend(axes, title="share that was acked by then")
    _left_over(axes, len(report.rows) - len(rows), "routes")
    return figure


def _time_axis(axes: Axes, shortest: float, longest: float) -> None:
    """From milliseconds to days, with marks that people count in."""
    low = max((mark for mark in _MARKS if mark <= shortest), default=_SHORTEST)
    high = min((mark for mark in _MARKS if mark >= longest and mark > low), default=longest)
    axes.set_xscale("log")
    # A little room for the dots at the ends.
    axes.set_xlim(low * 0.85, high * 1.15)
    axes.set_xticks([mark for mark in _MARKS if low <= mark <= high])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds_shown(value)))
    axes.xaxis.set_minor_locator(NullLocator())


def _stacked(title: str, bars: Mapping[str, Counter[str]], unit: str, *, order: list[str]) -> Figure:
    """Bars that lie, the longest at the top, each made of parts."""
    longest = sorted(bars, key=lambda name: -bars[name].total())
    shown = longest[:MOST_BARS][::-1]
    figure, axes = picture(title, height=_MARGIN + _BAR * len(shown))
    ends = [0.0] * len(shown)
    parts = [part for part in order if any(bars[name][part] for name in shown)]
    drawn = parts[: len(COLOURS)]
    values = {part: [bars[name][part] for name in shown] for part in drawn}
    if rest := parts[len(COLOURS) :]:
        values[_OTHERS] = [sum(bars[name][part] for part in rest) for name in shown]
    for part, colour in zip(values, [*colours(drawn).values(), REST], strict=False):
        axes.barh(
            range(len(shown)), values[part], left=ends, height=0.62, color=colour, label=part, linewidth=0
        )
        ends = [end + value for end, value in zip(ends, values[part], strict=True)]
    for number, end in enumerate(ends):
        axes.annotate(
            f"{int(end):,}", (end, number), xytext=(5, 0), textcoords="offset points", va="center", color=INK
        )
    axes.set_yticks(range(len(shown)), shown)
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_xlabel(unit)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    # Room for the number beside the longest.
    axes.set_xlim(0, max(ends) * 1.12)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{int(value):,}"))
    axes.grid(visible=False, axis="y")
    if len(values) > 1 or drawn != shown:
        _legend(axes)
    _left_over(axes, len(bars) - len(shown), "others")
    return figure


def _legend(axes: Axes, *, title: str | None = None, reverse: bool = False) -> None:
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        frameon=False,
        borderaxespad=0,
        labelcolor=INK,
        title=title,
        alignment="left",
        # As they lie upon one another.
        reverse=reverse,
    )


def _left_over(axes: Axes, count: int, what: str) -> None:
    if count:
        axes.annotate(
            f"{count:,} {what} more are in the table",
            (1, 0),
            xycoords="axes fraction",
            ha="right",
            va="bottom",
            color=PALE,
        )


def _without_gaps(report: Report) -> list[datetime]:
    """The spans of time with those in which nothing happened, and one after the last, where it ends."""
    _, _, events, rate = report.rows[0]
    step = timedelta(seconds=round(events / rate))
    spans = report.column("at")
    count = (max(spans) - min(spans)) // step
    return [min(spans) + step * number for number in range(count + 2)]


def _attempt(number: int) -> str:
    return ("first attempt", "first attempt", "second", "third", "fourth")[number] if number <= 4 else "later"  # noqa: PLR2004  as many as have a name


def seconds_shown(seconds: float) -> str:
    """A span of time in its own unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return "0"


_PLOTS: Final[Mapping[str, Callable[[Report], Figure]]] = {
    "rates": _rates,
    "retries": _retries,
    "failures": _failures,
    "lead-times": _lead_times,
}
