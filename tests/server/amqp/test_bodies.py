from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreError, StoreFull
from penstock.server.amqp.bodies import LargeBodies, LargeBody
from penstock.store import ContentFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def bodies(tmp_path: Path) -> Iterator[LargeBodies]:
    bodies = LargeBodies(ContentFiles(tmp_path))
    yield bodies
    bodies.close()


def made(bodies: LargeBodies, body: bytes = b"a large body") -> LargeBody:
    file = bodies.create()
    file.append(body)
    return bodies.made(file.finish(), len(body))


def files(folder: Path) -> int:
    return len(list(folder.iterdir()))


def test_a_body_is_there_as_long_as_somebody_needs_it(bodies: LargeBodies, tmp_path: Path) -> None:
    body = made(bodies)
    assert body.read() == b"a large body"
    assert repr(body) == f"<LargeBody {body.name}, 12 bytes>"
    other = body.hold()
    del body
    assert other.read() == b"a large body"
    del other
    assert files(tmp_path) == 0


def test_what_the_store_keeps_has_a_name_of_its_own(bodies: LargeBodies, tmp_path: Path) -> None:
    body = made(bodies)
    kept = bodies.found(body.keep(), 12)
    del body
    assert kept.read() == b"a large body"
    held = kept.hold()
    assert held.name != kept.name
    del kept
    # The store deletes what it kept; who holds the body has it still.
    assert files(tmp_path) == 2
    (name,) = {file.name for file in tmp_path.iterdir()} - {held.name}
    (tmp_path / name).unlink()
    assert held.read() == b"a large body"


def test_without_room_for_a_name_the_store_gets_the_only_one(
    bodies: LargeBodies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_self: ContentFiles, name: str) -> str:
        raise StoreFull("no room")

    monkeypatch.setattr(ContentFiles, "link", full)
    body = made(bodies)
    assert body.keep() == body.name
    # It is the store's now.
    assert body.hold() is body
    del body
    assert files(tmp_path) == 1


def test_after_the_end_there_are_no_threads_to_wait_for(tmp_path: Path) -> None:
    bodies = LargeBodies(ContentFiles(tmp_path))
    file = bodies.create()

    async def end() -> None:
        bodies.close()
        await bodies.run(file.abandon)

    asyncio.run(end())
    assert files(tmp_path) == 0


def test_a_torn_body_is_not_read(bodies: LargeBodies, tmp_path: Path) -> None:
    body = made(bodies)
    (tmp_path / body.name).write_bytes(b"a large")
    with pytest.raises(StoreError, match="has 7 of 12 bytes"):
        body.read()
    with pytest.raises(StoreError, match="not there"):
        bodies.found("nonesuch", 12).open()


def test_files_go_on_a_thread_while_a_loop_runs(bodies: LargeBodies, tmp_path: Path) -> None:
    async def main() -> None:
        many = [await bodies.run(made, bodies) for _ in range(3)]
        assert files(tmp_path) == 3
        many.clear()
        gc.collect()
        await asyncio.sleep(0)
        # Three in one go; this waits for the thread.
        await bodies.run(lambda: None)

    asyncio.run(main())
    bodies.close()
    assert files(tmp_path) == 0


def test_files_go_even_after_the_threads(bodies: LargeBodies, tmp_path: Path) -> None:
    async def main() -> None:
        body = made(bodies)
        bodies.close()
        del body
        await asyncio.sleep(0)

    asyncio.run(main())
    assert files(tmp_path) == 0
    assert repr(bodies) == f"<LargeBodies in <ContentFiles {tmp_path}>>"
