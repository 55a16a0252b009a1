"""What a change of an event's contract breaks, if anything.

Two questions are asked of every difference. Can this code still read what was written before, and may yet
wait in a queue or among the dead letters? And can readers that are not updated yet read what this code
writes? Values in, values out; where contracts come from is in contract.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.events.schemas import ANYTHING, LIMITS, Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.messaging.events.contract import Contract
    from penstock.messaging.events.schemas import Alternative

__all__ = ["Breaks", "Change", "changes"]


class Breaks(Flag):
    """Who is worse off for a change."""

    NOTHING = 0
    #: What was written before can no longer be read.
    WAITING = 1
    #: What is written now cannot be read by those who have the old contract.
    READERS = 2


WHO: Final = {
    Breaks.WAITING: "messages written before cannot be read",
    Breaks.READERS: "readers not updated yet cannot read new messages",
    Breaks.WAITING
    | Breaks.READERS: "messages written before cannot be read, nor new ones by readers not updated yet",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two contracts."""

    event: str
    #: Where in the content, "$" is all of it.
    path: str
    text: str
    breaks: Breaks = Breaks.NOTHING

    def __str__(self) -> str:
        at = "" if self.path == "$" else f" {self.path}"
        told = f": {WHO[self.breaks]}" if self.breaks else ""
        return f"{self.event}{at} {self.text}{told}"


def changes(before: dict[str, Contract], after: dict[str, Contract]) -> list[Change]:
    """All that is different, event by event."""
    found: list[Change] = []
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            found.append(Change(name, "$", "is new"))
        elif name not in after:
            found.append(Change(name, "$", "is no longer declared", Breaks.WAITING))
        else:
            found += _event(name, before[name], after[name])
    return found


def _event(name: str, before: Contract, after: Contract) -> Iterator[Change]:
    if after.version < before.version:
        told = f"went back from version {before.version} to {after.version}"
        yield Change(name, "$", told, Breaks.WAITING | Breaks.READERS)
        return
    if after.oldest > before.oldest:
        lost = [str(version) for version in range(before.oldest, after.oldest)]
        told = f"has no up-casters any more from version {', '.join(lost)}"
        if after.oldest > before.version:
            told = f'is of version {after.version} now, without @upcast("{name}", {after.oldest - 1})'
        yield Change(name, "$", told, Breaks.WAITING)
    elif after.version > before.version:
        # Readers of the old version put the new one aside, and are told so by its number: this is the
        # announced way to change what could not be changed otherwise.
        told = f"went from version {before.version} to {after.version}; update its readers before its writers"
        yield Change(name, "$", told)
    if after.version == before.version:
        yield from _Comparison(name, Document(before.schema), Document(after.schema)).all()


class _Comparison:
    """Two schemas of one event, part by part."""

    def __init__(self, event: str, before: Document, after: Document) -> None:
        self._event = event
        self._before = before
        self._after = after
        #: Pairs of parts that were compared, or are being: classes may hold themselves.
        self._seen: set[tuple[str, str]] = set()

    def all(self) -> Iterator[Change]:
        return self._part("$", self._before.schema, self._after.schema)

    def _change(self, path: str, text: str, breaks: Breaks = Breaks.NOTHING) -> Change:
        return Change(self._event, path, text, breaks)

    def _part(self, path: str, before: Any, after: Any) -> Iterator[Change]:
        if isinstance(before, dict) and isinstance(after, dict) and "$ref" in before and "$ref" in after:
            pair = before["$ref"], after["$ref"]
            if pair in self._seen:
                return
            self._seen.add(pair)
        old, new = self._before.alternatives(before), self._after.alternatives(after)
        for one, other in _pairs(old, new):
            yield from self._alternative(path, one, other)
        lost, added = list(_uncovered(old, new)), list(_uncovered(new, old))
        if len(lost) == len(old) and len(added) == len(new):
            told = f"changed from {_listed(old)} to {_listed(new)}"
            yield self._change(path, told, Breaks.WAITING | Breaks.READERS)
            return
        for each in lost:
            yield self._change(path, f"can no longer be {each}", Breaks.WAITING)
        for each in added:
            yield self._change(path, f"can now be {each}", Breaks.READERS)

    def _alternative(self, path: str, before: Alternative, after: Alternative) -> Iterator[Change]:
        """Two that are the same kind of thing."""
        yield from self._limits(path, before, after)
        yield from self._values(path, before, after)
        yield from self._fields(path, before, after)
        for index, (one, other) in enumerate(zip(before.first, after.first, strict=False)):
            yield from self._part(f"{path}[{index}]", one, other)
        rests = before.rest, after.rest
        if any(isinstance(rest, dict) for rest in rests) and not (before.fields or after.fields):
            # Of a list, or of a mapping of any names; one that says nothing takes anything.
            old, new = (rest or {} for rest in rests)
            yield from self._part(f"{path}[]", old, new)

    def _limits(self, path: str, before: Alternative, after: Alternative) -> Iterator[Change]:
        for name in LIMITS:
            old, new = before.limits.get(name), after.limits.get(name)
            if old != new:
                told = f"has {name} {_or_none(new)} instead of {_or_none(old)}"
                yield self._change(path, told, _limit_breaks(name, old, new))

    def _values(self, path: str, before: Alternative, after: Alternative) -> Iterator[Change]:
        lost = [value for value in before.values if value not in after.values]
        added = [value for value in after.values if value not in before.values]
        if lost:
            yield self._change(path, f"can no longer be {_values(lost)}", Breaks.WAITING)
        if added:
            yield self._change(path, f"can now be {_values(added)}", Breaks.READERS)

    def _fields(self, path: str, before: Alternative, after: Alternative) -> Iterator[Change]:
        for name in (*before.fields, *(new for new in after.fields if new not in before.fields)):
            at = f"{path}.{name}"
            if name not in after.fields:
                yield self._removed(at, name, before, after)
            elif name not in before.fields:
                yield self._added(at, name, before, after)
            else:
                if name in after.required - before.required:
                    yield self._change(at, "became required", Breaks.WAITING)
                elif name in before.required - after.required:
                    yield self._change(at, "became optional; keep writing it until all readers are updated")
                yield from self._part(at, before.fields[name], after.fields[name])
        if after.rest is False and before.rest is not False and after.kind == "object":
            yield self._change(path, "refuses fields it does not know now", Breaks.WAITING)

    def _removed(self, path: str, name: str, before: Alternative, after: Alternative) -> Change:
        breaks = Breaks.READERS if name in before.required else Breaks.NOTHING
        if after.rest is False:
            breaks |= Breaks.WAITING
        return self._change(path, "was removed", breaks)

    def _added(self, path: str, name: str, before: Alternative, after: Alternative) -> Change:
        is_required = name in after.required
        breaks = Breaks.WAITING if is_required else Breaks.NOTHING
        if before.rest is False:
            breaks |= Breaks.READERS
        return self._change(path, f"is a new {'required' if is_required else 'optional'} field", breaks)


# Alternatives against alternatives


def _pairs(old: list[Alternative], new: list[Alternative]) -> Iterator[tuple[Alternative, Alternative]]:
    """Those that are the same on both sides: by name, or as the only one of their kind."""
    for one in old:
        if (other := _partner(one, old, new)) is not None:
            yield one, other


def _partner(one: Alternative, ours: list[Alternative], theirs: list[Alternative]) -> Alternative | None:
    for other in theirs:
        if other.name == one.name:
            return other
    alone = [each for each in ours if each.kind == one.kind]
    others = [each for each in theirs if each.kind == one.kind]
    # A class may change its name.
    return others[0] if len(alone) == len(others) == 1 else None


def _uncovered(ours: list[Alternative], theirs: list[Alternative]) -> Iterator[Alternative]:
    """What has no place on the other side."""
    return (one for one in ours if not _is_subset(one, ours, theirs))


def _is_subset(one: Alternative, ours: list[Alternative], theirs: list[Alternative]) -> bool:
    """Whether everything that it lets through, the other side does as well, details aside."""
    kinds = {other.kind for other in theirs}
    if ANYTHING in kinds or _partner(one, ours, theirs) is not None:
        return True
    if one.kind == "enum":
        return all(_kinds(value) & kinds for value in one.values)
    return one.kind == "integer" and "number" in kinds


def _kinds(value: Any) -> set[str]:
    """The JSON types that a value is of."""
    table = {str: {"string"}, bool: {"boolean"}, int: {"integer", "number"}, float: {"number"}}
    return {"null"} if value is None else table.get(type(value), set())


def _limit_breaks(name: str, old: Any, new: Any) -> Breaks:
    way = LIMITS[name]
    if old is None:
        return Breaks.WAITING
    if new is None:
        return Breaks.READERS
    if not way:
        return Breaks.WAITING | Breaks.READERS
    return Breaks.WAITING if (new > old) == (way > 0) else Breaks.READERS


def _or_none(value: Any) -> str:
    return "none" if value is None else str(value)


def _listed(alternatives: Iterable[Alternative]) -> str:
    return " or ".join(map(str, alternatives))


def _values(values: Iterable[Any]) -> str:
    return " or ".join(map(repr, values))
