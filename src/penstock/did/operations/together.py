"""Asking together: what is asked while an answer is on its way is asked next, all with one question.

Whoever comes alone waits for nobody; the more come, the more are asked about together. A question to SQLite
costs 300 µs and a thread, whoever it is about; another DID in the same question costs 10.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

__all__ = ["Together"]

Answer = TypeVar("Answer")

#: What is asked about in one question.
BATCH: Final = 500


class Together(Generic[Answer]):
    """Answers about names, many at a time."""

    def __init__(
        self, ask: Callable[[Sequence[str]], Awaitable[Mapping[str, Answer]]], *, batch: int = BATCH
    ) -> None:
        """Nothing is asked yet.

        Args:
            ask: Answers about names, each of which is there once; it must answer about all of them.
            batch: So many at most.
        """
        self._ask = ask
        self._batch = batch
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def about(self, name: str) -> Answer:
        """The answer about a name, of now or later. What asking raises is raised to all who wait for it."""
        answer = self._waiting.get(name)
        if answer is None:
            answer = self._waiting[name] = asyncio.get_running_loop().create_future()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all(), name="questions together")
        # Whoever goes away leaves the question to the others who wait for the same answer.
        return await asyncio.shield(answer)

    async def _ask_all(self) -> None:
        try:
            while self._waiting:
                names = list(self._waiting)[: self._batch]
                await self._ask_about({name: self._waiting.pop(name) for name in names})
        finally:
            self._asking = None

    async def _ask_about(self, these: dict[str, asyncio.Future[Answer]]) -> None:
        try:
            answers = await self._ask(list(these))
        except Exception as exc:  # noqa: BLE001  it is everybody's, and raised where each waits
            for future in these.values():
                future.set_exception(exc)
                # All who waited may be gone.
                future.exception()
            return
        for name, future in these.items():
            future.set_result(answers[name])
