"""DIDs that live through create, update, recover and deactivate in a federation, while it is troubled."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from penstock.sidetree.multihash import commitment
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.federation.town import Town

STEPS = ("create", "update", "recover", "deactivate")


class Dids:
    """As many in each domain of a town."""

    def __init__(self, town: Town, each: int, name: str = "did") -> None:
        self._town = town
        self._lives = [
            (base, Life(f"{name}-{number}-{place}"))
            for number in range(each)
            for place, base in enumerate(town.bases)
        ]
        self._steps = 0

    @property
    def suffixes(self) -> list[str]:
        """What they are called, once they are created."""
        return [life.suffix for _, life in self._lives]

    def step(self, step: str, trouble: Callable[[int], None] = lambda _: None) -> None:
        """Have all of them take a step; `trouble` is called with the number of each that has."""
        for number, (base, life) in enumerate(self._lives):
            self._town.post(base, _request(step, life, f"{base}/services/orb"))
            trouble(number)
        self._steps += 1

    def wait(self, step: str, trouble: Callable[[int], None] = lambda _: None) -> None:
        """Wait until all domains know of all steps, and resolve alike; `trouble` is told of how many."""
        left = {life.suffix: life for _, life in self._lives}

        def is_known() -> bool:
            trouble(len(self._lives) - len(left))
            for suffix, life in list(left.items()):
                found = [self._town.resolve(base, suffix) or {} for base in self._town.bases]
                if not all(_is_after(step, life, each) for each in found):
                    return False
                assert all(alike(each) == alike(found[0]) for each in found), found
                del left[suffix]
            return True

        self._town.until(is_known)
        trouble(len(self._lives))

    def check_each_operation_was_anchored_once(self) -> None:
        """Every domain has as many operations of each DID as it has taken steps, and all the same."""
        words = ["orb", *(f"orb{number}" for number in range(2, len(self._town.bases) + 1))]
        histories = []
        for word in words:
            kept = self._town.operations(word)
            counts = Counter(each.suffix for each in kept)
            assert {counts[life.suffix] for _, life in self._lives} == {self._steps}, word
            histories.append(sorted((each.suffix, each.reference, each.type) for each in kept))
        assert all(history == histories[0] for history in histories)


def _request(step: str, life: Life, origin: str) -> bytes:
    if step in {"create", "recover"}:
        made: bytes = getattr(life, step)(origin=origin)
    else:
        made = getattr(life, step)()
    return made


def _is_after(step: str, life: Life, found: dict[str, Any]) -> bool:
    about = found.get("didDocumentMetadata", {"method": {}})
    if step == "deactivate":
        return about.get("deactivated") is True
    return bool(about["method"].get("updateCommitment") == commitment(life.update_key.public))


def alike(found: dict[str, Any]) -> dict[str, Any]:
    """What must be the same wherever it is resolved: all of it, but for where copies are."""
    about = {name: part for name, part in found["didDocumentMetadata"].items() if name != "equivalentId"}
    about["method"] = {
        name: part for name, part in about["method"].items() if not name.endswith("Operations")
    }
    return {**found, "didDocumentMetadata": about}
