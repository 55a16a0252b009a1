"""All pipelines of an application, each under its name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from penstock.errors import BadPipeline, UnknownPipeline
from penstock.pipelines.declared.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import ModuleType

__all__ = ["Pipelines"]


class Pipelines:
    """Pipelines by name, in the order they were declared in."""

    __slots__ = ("_by_name",)

    def __init__(self, declared: Iterable[Pipeline] = ()) -> None:
        """A registry.

        Raises:
            BadPipeline: two of them have one name, hence one checkpoint.
        """
        self._by_name: dict[str, Pipeline] = {}
        for each in declared:
            if self._by_name.setdefault(each.name, each) is not each:
                raise BadPipeline(f"two pipelines are called {each.name}")

    @classmethod
    def of(cls, module: ModuleType) -> Pipelines:
        """Those that stand in a module."""
        return cls(value for value in vars(module).values() if isinstance(value, Pipeline))

    def chosen(self, names: Sequence[str]) -> Pipelines:
        """Those of these names; all of them if none is named.

        Raises:
            UnknownPipeline: one is not there; with the nearest that is.
        """
        return Pipelines(self[name] for name in dict.fromkeys(names)) if names else self

    def __getitem__(self, name: str) -> Pipeline:
        if name in self._by_name:
            return self._by_name[name]
        near = get_close_matches(name, self._by_name, 1)
        hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(self._by_name) or 'none'}"
        raise UnknownPipeline(f"no pipeline is called {name!r}: {hint}")

    def __iter__(self) -> Iterator[Pipeline]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Pipelines {', '.join(self._by_name)}>"
