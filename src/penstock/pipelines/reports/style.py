"""How the pictures look: one place for colours, type and lines. Knows matplotlib, not what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

__all__ = ["INK", "PALE", "colours", "picture", "save"]

INK: Final = "#22303c"
PALE: Final = "#8a96a0"
GRID: Final = "#e3e7ea"
#: Told apart by those who see few colours, too (Okabe and Ito), the last for whatever is left over.
COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
REST: Final = "#b8c0c7"

_SETTINGS: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": PALE,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": PALE,
    "ytick.color": PALE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    # Pictures of the same rows are the same file.
    "svg.hashsalt": "penstock",
    "svg.fonttype": "none",
}


def colours(names: list[str]) -> dict[str, str]:
    """A colour for each name; those beyond the palette share one."""
    return {name: COLOURS[number] if number < len(COLOURS) else REST for number, name in enumerate(names)}


def picture(title: str, *, height: float = 4.5) -> tuple[Figure, Axes]:
    """An empty picture with a title, and lines only where they help."""
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(9, height), layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        axes.set_title(title, loc="left", fontsize=13, fontweight="bold", pad=12)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0)
        axes.set_axisbelow(True)
        axes.grid(visible=True, color=GRID, linewidth=0.8)
    return figure, axes


def save(figure: Figure, path: Path) -> None:
    """Write the picture in the format that its name ends with."""
    with mpl.rc_context(_SETTINGS):
        figure.savefig(path, dpi=144, metadata={"Date": None} if path.suffix == ".svg" else None)
