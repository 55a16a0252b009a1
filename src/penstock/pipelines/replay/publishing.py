"""Pages of events to a broker, each confirmed and noted before the next leaves.

After a crash at most one page is published twice; its messages keep their ids, so an inbox recognises them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.errors import ClientError, NotConnected, PipelineError, Unroutable
from penstock.messaging.dead_letters.pace import Pace
from penstock.pipelines.replay.outgoing import outgoing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.client import Client, Outgoing
    from penstock.errors import PublishError
    from penstock.pipelines.replay.progress import Mark, Progress, ProgressFile

__all__ = ["publish"]


async def publish(
    pages: Iterable[Sequence[tuple[Mark, dict[str, Any]]]],
    client: Client,
    *,
    file: ProgressFile,
    queue: str | None = None,
    rate: float | None = None,
    skip_unroutable: bool = False,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> Progress:
    """Publish them, and return how far the replay has come.

    Args:
        pages: What is left to do, in order.
        client: Of the broker.
        file: Where the progress is kept.
        queue: Only this queue gets them; None is wherever they went.
        rate: At most so many a second.
        skip_unroutable: Pass over what no queue takes any more.
        on_progress: Told after every page.

    Raises:
        NotConnected: there is no such queue.
        PipelineError: one could not be published; the same replay goes on from there.
    """
    if queue is not None and await client.queue_state(queue) is None:
        raise NotConnected(f"there is no queue {queue} to replay to")
    pace = Pace(rate, client.clock)
    progress = file.read()
    left = iter(pages)
    # Spark may sort for minutes, and the broker waits for heartbeats meanwhile.
    while page := await asyncio.to_thread(next, left, None):
        for start in range(0, len(page), pace.burst):
            together = page[start : start + pace.burst]
            await pace.take(len(together))
            progress = await _published(
                together, client, queue, progress, file, skip_unroutable=skip_unroutable
            )
            on_progress(progress)
    return progress


async def _published(
    events: Sequence[tuple[Mark, dict[str, Any]]],
    client: Client,
    queue: str | None,
    progress: Progress,
    file: ProgressFile,
    *,
    skip_unroutable: bool,
) -> Progress:
    errors = await _errors(outgoing([event for _, event in events], queue), client)
    marks = [mark for mark, _ in events]
    skipped = 0
    for number, error in enumerate(errors):
        if isinstance(error, Unroutable) and skip_unroutable:
            skipped += 1
        elif error is not None:
            done = progress.after(marks[:number], skipped=skipped)
            file.write(done)
            told = events[number][1]
            hint = "; --skip-unroutable passes over such" if isinstance(error, Unroutable) else ""
            raise PipelineError(
                f"{told['type'] or 'message'} {told['message_id']} could not be published: {error}{hint}."
                f" {done.published} were; the same command goes on from there"
            ) from error
    done = progress.after(marks, skipped=skipped)
    file.write(done)
    return done


async def _errors(
    messages: Sequence[Outgoing], client: Client
) -> Sequence[PublishError | ClientError | None]:
    try:
        return await client.publish_many(messages)
    except ClientError as exc:
        return [exc] * len(messages)
