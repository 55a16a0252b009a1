"""DID batches over HTTP, as their source tells."""

from __future__ import annotations

import asyncio

import pytest

from penstock.panel.own import Resources
from penstock.panel.own.did_port import (
    Anchor,
    Batch,
    BatchOperation,
    Did,
    DidStep,
    OneBatch,
    WaitingOperations,
)
from tests.panel.asgi import opened

BATCH = Batch(id=7, state="witnessing", operations=10, cut_at=5.0, witnesses=3, proofs=1)
DID = Did(suffix="x", did="did:orb:a:x", steps=[DidStep(type="create", at=1, reference="a", batch=7)])
#: None of these is a number that a batch could have.
STRANGE = ("nobody", "-1", "%D9%A3", "9" * 5000, "7.0")


class Paper:
    """One batch of ten operations, and one DID."""

    async def listed(self, limit: int) -> list[Batch]:
        return [BATCH][:limit]

    async def find(self, number: int, *, start: int, limit: int) -> OneBatch | None:
        if number != BATCH.id:
            return None
        shown = [BatchOperation(id=str(at), outcome="queued") for at in range(10)][start : start + limit]
        return OneBatch(batch=BATCH, operations=shown)

    async def waiting(self) -> WaitingOperations:
        return WaitingOperations(waiting=3)

    async def anchors(self, limit: int) -> list[Anchor]:
        return [Anchor(state="observed", updated_at=6.0, batch=7, stored=10)][:limit]

    async def did(self, suffix: str) -> Did | None:
        return DID if suffix == DID.suffix else None


def test_a_batch_its_operations_and_a_did_are_told_as_the_source_has_them() -> None:
    async def story() -> None:
        async with opened(resources=Resources(batches=Paper())) as guest:
            (listed,) = (await guest.get("/api/penstock/batches")).json
            assert (listed["state"], listed["proofs"], listed["observed_at"]) == ("witnessing", 1, None)
            one = (await guest.get("/api/penstock/batches/7?start=3&limit=2")).json
            assert one["batch"] == listed
            assert [each["id"] for each in one["operations"]] == ["3", "4"]
            assert (await guest.get("/api/penstock/operations")).json["waiting"] == 3
            (anchor,) = (await guest.get("/api/penstock/anchors?limit=5")).json
            assert (anchor["state"], anchor["batch"], anchor["url"]) == ("observed", 7, None)
            found = (await guest.get("/api/penstock/dids/x")).json
            assert (found["did"], found["steps"][0]["batch"]) == ("did:orb:a:x", 7)

    asyncio.run(story())


@pytest.mark.parametrize("path", [*(f"batches/{number}" for number in ("8", *STRANGE)), "dids/nobody"])
def test_what_is_not_there_is_said_so(path: str) -> None:
    async def story() -> None:
        async with opened(resources=Resources(batches=Paper())) as guest:
            assert (await guest.get(f"/api/penstock/{path}")).status == 404

    asyncio.run(story())


@pytest.mark.parametrize("path", ["batches", "batches/7", "operations", "anchors", "dids/x"])
def test_without_a_domain_there_is_nothing_there(path: str) -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await guest.get(f"/api/penstock/{path}")
            assert (answer.status, "was not told" in answer.json["reason"]) == (404, True)

    asyncio.run(story())
