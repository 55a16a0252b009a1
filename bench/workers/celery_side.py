"""Celery: acks after success, a window of 500, no results, no chatter; its solo pool is its fastest for this.

`python celery_side.py` sends the jobs, `celery -A celery_side worker` does them.
"""

from __future__ import annotations

from celery import Celery
from counting import BROKER, JOBS, QUEUE, count

WINDOW = 500

app = Celery("celery_side", broker=BROKER)
app.conf.update(
    task_acks_late=True,
    task_default_queue=QUEUE,
    task_ignore_result=True,
    worker_prefetch_multiplier=WINDOW,
    worker_enable_remote_control=False,
    broker_connection_retry_on_startup=True,
)


@app.task(name="job")
def job(number: int) -> None:
    count()


if __name__ == "__main__":
    with app.producer_pool.acquire() as producer:
        for number in range(JOBS):
            job.apply_async((number,), producer=producer)
