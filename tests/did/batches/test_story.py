from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.batches.story import maybe_story
from tests.did.batches.circle import created
from tests.did.kept_operations import change_operations
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from tests.did.batches.circle import Circle


def test_a_did_is_told_with_its_document_and_the_batches_that_made_it(circle: Circle) -> None:
    async def story() -> None:
        life = Life()
        first = await circle.go_round(created(life))
        second = await circle.go_round(life.update())
        found = circle.database.read(maybe_story, life.suffix)
        assert found is not None
        assert found.result is not None
        assert found.result["didDocument"]["id"] == found.did
        assert [(step.type, step.batch, step.reason) for step in found.steps] == [
            ("create", first.id, ""),
            ("update", second.id, ""),
        ]
        assert found.steps[0].reference in (found.did or "")
        await circle.go_round(life.deactivate())
        ended = circle.database.read(maybe_story, life.suffix)
        assert ended is not None
        assert ended.is_deactivated

    run(story())


def test_an_operation_that_changes_nothing_says_why(quick: Circle) -> None:
    async def story() -> None:
        life = Life()
        await quick.go_round(created(life))
        life.update()
        # The update before this one never came.
        await quick.go_round(life.update())
        found = quick.database.read(maybe_story, life.suffix)
        assert found is not None
        create, update = found.steps
        assert (create.reason, found.reason) == ("", "")
        assert "did not make a version" in update.reason

    run(story())


def test_a_did_without_its_create_does_not_resolve(quick: Circle) -> None:
    async def story() -> None:
        life = Life()
        await quick.go_round(created(life))
        await quick.go_round(life.update())
        quick.database.do(change_operations, lambda each: None if each.type == "create" else each)
        found = quick.database.read(maybe_story, life.suffix)
        assert found is not None
        assert (found.did, found.result) == (None, None)
        assert "creates the DID" in found.reason
        assert "creates the DID" in found.steps[0].reason

    run(story())


def test_of_a_did_that_nobody_has_anchored_nothing_is_known(quick: Circle) -> None:
    assert quick.database.read(maybe_story, "nobody") is None
