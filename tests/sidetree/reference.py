"""Resolution once more, plainly: keys are numbers, documents are lists of names, and nothing is signed.

What must be compared with it is the real thing on real requests, made of the same steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from penstock.sidetree import requests
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import hashed
from tests.sidetree.lives import add_services, key

FAILING = {"action": "ietf-json-patch", "patches": [{"op": "remove", "path": "/nothing"}]}

#: When windows close that are too early for every anchor.
LONG_AGO = 1


@dataclass(frozen=True)
class Step:
    """An operation, and all that could be wrong with it."""

    name: str
    type: str
    #: The number of the key that it reveals.
    key: int = 0
    next_update: int = 0
    next_recovery: int = 0
    #: forged, or its delta is wrong (another than was hashed), invalid, or failing; or late
    flaw: str = ""
    time: int = 0
    published: bool = True
    #: The create that this one is a spoilt copy of.
    original: Step | None = None

    @property
    def reference(self) -> str:
        return f"u{self.name}" if self.published else ""


@dataclass
class Known:
    """What the reference knows of a DID."""

    services: list[str] = field(default_factory=list)
    update: int | None = None
    recovery: int | None = 0
    deactivated: bool = False
    version: str = ""


def in_order(steps: list[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (not step.published, step.time))


def begun(known: Known, step: Step) -> None:
    """A create or a recover gives a new document."""
    known.services, known.update, known.version = [], None, step.reference
    if step.flaw not in ("wrong", "invalid"):
        known.update = step.next_update
    if not step.flaw:
        known.services = [step.name]


def plain_resolution(steps: list[Step]) -> Known | None:
    ordered = in_order(steps)
    creates = [step for step in ordered if step.type == "create"]
    if not creates:
        return None
    known = Known()
    begun(known, creates[0])
    since = (
        recovered(known, [step for step in ordered if step.type in ("recover", "deactivate")]) or creates[0]
    )
    if not known.deactivated:
        # A create that is not anchored stands behind all that is, and may be known from a long form only.
        begins = ordered.index(since) + 1 if since.type != "create" or since.published else 0
        later = ordered[begins:]
        updated(known, [step for step in later if step.type == "update"])
    return known


def recovered(known: Known, steps: list[Step]) -> Step | None:
    used: list[int | None] = []
    last = None
    while True:
        used.append(known.recovery)
        step = next((step for step in steps if counts(step, known.recovery, step.next_recovery, used)), None)
        if step is None:
            return last
        last = step
        if step.type == "deactivate":
            known.services, known.update, known.recovery = [], None, None
            known.deactivated, known.version = True, step.reference
            return last
        begun(known, step)
        known.recovery = step.next_recovery


def updated(known: Known, steps: list[Step]) -> None:
    used: list[int | None] = []
    while known.update is not None:
        used.append(known.update)
        step = next((step for step in steps if counts(step, known.update, step.next_update, used)), None)
        if step is None:
            return
        known.update, known.version = step.next_update, step.reference
        if not step.flaw:
            known.services = [*known.services, step.name]


def counts(step: Step, promised: int | None, next_key: int, used: list[int | None]) -> bool:
    if step.key != promised or step.flaw == "forged":
        return False
    if step.type == "deactivate":
        return step.flaw != "late"
    if step.type == "update" and step.flaw in ("wrong", "invalid"):
        return False
    return next_key not in used


# The same steps as requests


def suffix_of(create: Step) -> str:
    return hashed(request_of(create, "")["suffixData"])


def anchored(step: Step, suffix: str) -> Anchored:
    return Anchored(
        type=step.type,
        suffix=suffix,
        request=canonical(request_of(step, suffix)),
        time=step.time,
        reference=step.reference,
    )


def request_of(step: Step, suffix: str) -> dict[str, Any]:
    patches: list[Any] = [add_services(step.name)]
    if step.flaw == "failing":
        patches.append(FAILING)
    if step.flaw == "invalid":
        patches = []
    made = request_of(step.original, "") if step.original else made_of(step, suffix, patches)
    if step.flaw == "wrong" and step.type != "deactivate":
        made["delta"] = {**made["delta"], "patches": [add_services("another")]}
    if step.flaw == "forged":
        signed, _, signature = made["signedData"].rpartition(".")
        made["signedData"] = f"{signed}.{signature[:-4]}AAAA"
    return made


def made_of(step: Step, suffix: str, patches: list[Any]) -> dict[str, Any]:
    update = key(f"update {step.next_update}").public
    recovery = key(f"recovery {step.next_recovery}").public
    late: dict[str, Any] = {"anchor_until": LONG_AGO} if step.flaw == "late" else {}
    if step.type == "create":
        return requests.create(patches, recovery_key=recovery, update_key=update)
    if step.type == "update":
        signer = key(f"update {step.key}")
        return requests.update(suffix, patches, key=signer, next_update_key=update, **late)
    signer = key(f"recovery {step.key}")
    if step.type == "deactivate":
        return requests.deactivate(suffix, key=signer, **late)
    return requests.recover(
        suffix, patches, key=signer, next_recovery_key=recovery, next_update_key=update, **late
    )
