"""A domain over real HTTP, whose queue is a list: the test says when what was taken is anchored."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from penstock.clock import SystemClock
from penstock.did.database import DomainDatabase
from penstock.did.operations import OPERATIONS, StoredResolver, add_operations
from penstock.did.web.answers import HANDLERS
from penstock.did.web.intake import OperationIntake
from penstock.did.web.serving import WebServer, listen
from penstock.did.web.sidetree import SidetreePages
from penstock.errors import PublishLost
from penstock.sidetree.anchored import Anchored
from tests.did.kept_operations import forget_operations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from penstock.did.operation_queue import QueuedOperation


class PaperDomain:
    """What it has taken, and what it has anchored."""

    def __init__(self, database: DomainDatabase) -> None:
        database.create(OPERATIONS)
        self.database = database
        self.url = ""
        self.reset()

    def reset(self) -> None:
        """Be as on the first day."""
        self.database.do(forget_operations)
        self.taken: list[QueuedOperation] = []
        #: What happens to the next operation: it is not taken, or nobody is told that it is.
        self.is_away = False
        self.loses_answers = False
        #: Whether what is taken is anchored without being told.
        self.anchors_at_once = False
        self._anchors = 0

    async def add(self, operation: QueuedOperation) -> None:
        if self.is_away:
            raise PublishLost("not taken")
        self.taken.append(operation)
        if self.anchors_at_once:
            self.anchor()
        if self.loses_answers:
            raise PublishLost("taken, and nobody can tell")

    def anchor(self, *, count: int | None = None) -> None:
        """Anchor what was taken, each with an anchor of its own; the same operation once."""
        count = len(self.taken) if count is None else count
        these, self.taken = self.taken[:count], self.taken[count:]
        once = {each.operation_request: each for each in these}
        for each in once.values():
            self._anchors += 1
            anchored = Anchored(
                type=each.type,
                suffix=each.unique_suffix,
                request=each.operation_request,
                time=1_700_000_000 + self._anchors,
                reference=f"uAnchor{self._anchors}",
                anchor_origin=each.anchor_origin,
            )
            self.database.do(add_operations, [anchored])

    async def _service(self, request: Request) -> Response:
        return JSONResponse({"id": f"{self.url}/services/orb"})

    def _application(self) -> Starlette:
        clock = SystemClock()
        resolver = StoredResolver(self.database, clock=clock)
        pages = SidetreePages(OperationIntake(self.add, resolver, clock=clock), resolver)
        return Starlette(
            routes=[*pages.routes(), Route("/services/orb", self._service)], exception_handlers=HANDLERS
        )

    @contextmanager
    def served(self) -> Iterator[PaperDomain]:
        """Answer on a free port, in a thread of its own."""
        ready, over = Event(), Event()

        async def serve() -> None:
            server = WebServer(self._application(), listen("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{server.port}"
            await server.start()
            ready.set()
            await asyncio.to_thread(over.wait)
            await server.stop()

        thread = Thread(target=asyncio.run, args=(serve(),), daemon=True)
        thread.start()
        assert ready.wait(30)
        try:
            yield self
        finally:
            over.set()
            thread.join(30)


@contextmanager
def paper_domain(folder: Path) -> Iterator[PaperDomain]:
    database = DomainDatabase(f"sqlite:///{folder}/paper.db")
    with PaperDomain(database).served() as domain:
        yield domain
    database.close()
