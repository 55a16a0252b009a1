from __future__ import annotations

from penstock.server.beanstalk.form import JobForm
from penstock.server.beanstalk.message import JobMessage, job_terms
from penstock.store import Found


def test_a_job_is_read_back_as_it_was() -> None:
    form = JobForm()
    job = JobMessage(b"body\0", "tube", job_terms(5, 3, 60, persistent=True), 2**64 - 1, 1000.5)
    content, extra, file = form.write(job)
    assert (extra, file) == (None, None)
    found = Found(
        9, 1, 1, 0, 0.0, None, 0, 0, 0, None, None, form.number, content, "", "tube", 5, None, None, 1
    )
    read = form.read(found)
    assert (read.id, read.body, read.destination, read.created_at) == (2**64 - 1, b"body\0", "tube", 1000.5)
    # The priority is what a release has made of it; the delay is over, or stands with the reference.
    assert (read.terms.priority, read.terms.lease_in, read.terms.delay_in) == (9, 60.0, 0.0)
    assert read.terms.persistent
