"""What a scrape tells, by name and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Iterable


def read(pieces: Iterable[str]) -> dict[tuple[str, ...], float]:
    """(name, the labels' values in order) → number."""
    families = text_string_to_metric_families("".join(pieces))
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}
