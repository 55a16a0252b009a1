"""Lists as RabbitMQ has them: filtered by name, sorted, in pages, with some of the columns.

Where no row is needed to know which are wanted, no other is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from penstock.errors import BadPermission
from penstock.panel.api.slices import QUICK, SLICE, chosen, ordered, written
from penstock.panel.replies import ApiFault, Reply, as_json, json_reply
from penstock.server.patterns import check_pattern, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.panel.visit import Visit

__all__ = ["flag", "listed", "number", "one"]

#: RabbitMQ's, for whoever asks for a page.
PAGE: Final = 100
PAGE_MOST: Final = 500
#: More digits than any number has that could mean something here.
DIGITS: Final = 12

T = TypeVar("T")
Row: TypeAlias = "dict[str, Any]"


async def listed(
    visit: Visit,
    things: Sequence[T],
    row: Callable[[T], Row],
    *,
    name: Callable[[T], str] = lambda _: "",
    keys: Mapping[str, Callable[[T], Any]] | None = None,
) -> Reply:
    """The rows of some things, as the query asks for them.

    Args:
        name: what `?name=` looks at, and what they are sorted by if nothing is said.
        keys: columns by which they can be sorted before there are rows.

    Raises:
        ApiFault: 400, the query cannot be.
    """
    query, total = visit.query, len(things)
    things = await ordered(await _filtered(things, query, name), name)
    wanted, filtered = query.get("sort", ""), len(things)
    if wanted:
        is_quick = keys is not None and wanted in keys
        key = keys[wanted] if keys and is_quick else lambda thing: _deep(row(thing), wanted)
        backwards, size = flag(query, "sort_reverse"), QUICK if is_quick else SLICE
        things = await ordered(things, lambda thing: _order(key(thing)), backwards=backwards, size=size)
    page = _page(query, filtered)
    if page is not None:
        start, length = (page[0] - 1) * page[1], page[1]
        things = things[start : start + length]
    body = await written(things, _with_columns(row, query.get("columns", "")))
    if page is None:
        return Reply(body=body)
    about = {
        "total_count": total,
        "filtered_count": filtered,
        "item_count": len(things),
        "page": page[0],
        "page_size": page[1],
        "page_count": -(-filtered // page[1]),
    }
    return Reply(body=b'{"items":' + body + b"," + as_json(about)[1:])


# What the query says


def one(visit: Visit, row: Row) -> Reply:
    """One row, with the columns that the query asks for."""
    return json_reply(_with_columns(lambda each: each, visit.query.get("columns", ""))(row))


async def _filtered(things: Sequence[T], query: Mapping[str, str], name: Callable[[T], str]) -> Sequence[T]:
    wanted = query.get("name", "")
    if not wanted:
        return things
    if flag(query, "use_regex"):
        try:
            check_pattern(wanted)
        except BadPermission as wrong:
            raise ApiFault(400, str(wrong)) from wrong
        fits = compiled(wanted).search
        return await chosen(things, lambda thing: fits(name(thing)))
    lowered = wanted.lower()
    return await chosen(things, lambda thing: lowered in name(thing).lower())


def _page(query: Mapping[str, str], count: int) -> tuple[int, int] | None:
    """The page that is wanted and how long a page is; None if everything is."""
    if "page" not in query:
        return None
    page, size = number(query, "page", 1), number(query, "page_size", PAGE)
    if not 1 <= size <= PAGE_MOST:
        raise ApiFault(400, f"page_size is {size}: a page has 1 to {PAGE_MOST} rows")
    last = max(-(-count // size), 1)
    if not 1 <= page <= last:
        raise ApiFault(400, f"page out of range, page: {page}, of {last}")
    return page, size


def number(query: Mapping[str, str], name: str, otherwise: int) -> int:
    """A whole number in the query.

    Raises:
        ApiFault: 400, it is none.
    """
    text = query.get(name, "")
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        raise ApiFault(400, f"{name} is no whole number: {text[:20]!r}")
    return int(text)


def flag(query: Mapping[str, str], name: str) -> bool:
    """Whether something is asked for."""
    return query.get(name, "").lower() == "true"


# Columns


def _deep(row: Any, path: str) -> Any:
    for part in path.split("."):
        row = row.get(part) if isinstance(row, dict) else None
    return row


def _order(value: Any) -> tuple[int, Any]:
    """Values of any types in one order: nothing, then numbers, then texts."""
    if value is None:
        return 0, 0
    if isinstance(value, int | float):
        return 1, value
    return 2, str(value)


def _with_columns(row: Callable[[T], Row], columns: str) -> Callable[[T], Row]:
    paths = [column.split(".") for column in columns.split(",") if column]
    return (lambda thing: _some_of(row(thing), paths)) if paths else row


def _some_of(row: Row, paths: list[list[str]]) -> Row:
    found: Row = {}
    for path in paths:
        value = _deep(row, ".".join(path))
        if value is None and path[0] not in row:
            continue
        place = found
        for part in path[:-1]:
            place = place.setdefault(part, {})
        place[path[-1]] = value
    return found
