from __future__ import annotations

import asyncio
import os

import pytest

from penstock.errors import TransientError
from penstock.workers.job import Job, Known
from penstock.workers.processes import Processes
from tests.workers.handlers import die, square, whoami

NOTHING = Known()


def test_handlers_run_in_other_processes_and_new_ones_follow_those_that_died() -> None:
    async def story() -> None:
        processes = Processes(1)
        assert repr(processes) == "<Processes 1, none yet>"
        try:
            assert await processes.submit(square, Job("/square", 7, known=NOTHING)) == 49
            first = await processes.submit(whoami, Job("/whoami", None, known=NOTHING))
            assert first != os.getpid()
            with pytest.raises(TransientError, match="has died"):
                await processes.submit(die, Job("/die", None, known=NOTHING))
            assert await processes.submit(whoami, Job("/whoami", None, known=NOTHING)) not in {
                first,
                os.getpid(),
            }
        finally:
            processes.close()

    asyncio.run(story())
