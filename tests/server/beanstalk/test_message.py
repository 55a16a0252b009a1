from __future__ import annotations

from penstock.server.beanstalk.message import JobMessage, job_terms
from penstock.wire.amqp import body_of, properties_of
from penstock.wiring import Reason
from penstock.wiring.death import bury_with


def job(priority: int = 5, *, persistent: bool = False) -> JobMessage:
    return JobMessage(b"body", "tube", job_terms(priority, 3, 60, persistent=persistent), 7, 1000.0)


def test_the_same_terms_are_the_same_object() -> None:
    assert job().terms is job().terms
    assert (job().terms.priority, job().terms.delay_in, job().terms.lease_in) == (5, 3.0, 60.0)


def test_a_worker_has_a_second_at_least() -> None:
    assert job_terms(0, 0, 0, persistent=False).lease_in == 1.0


def test_amqp_sees_a_message_with_what_it_has_words_for() -> None:
    message = job(persistent=True)
    content = properties_of(message.frames)
    assert body_of(message.frames) == b"body"
    assert (content.priority, content.delivery_mode) == (250, 2)
    assert content.headers == {"x-job-id": 7, "x-ttr": 60}
    assert message.route[:2] == ("", "tube")
    assert job(priority=2**32 - 1).content.priority == 0
    assert job().content.delivery_mode == 1


def test_as_a_dead_letter_it_tells_of_its_death() -> None:
    message = job()
    letter = message.reborn("home", None, bury_with(message, "tube", Reason.REJECTED, 1000.0, None))
    assert letter.route[:2] == ("home", "tube")
    assert letter.body == b"body"
    assert letter.properties["x-death"][0]["queue"] == "tube"  # type: ignore[index,call-overload]


def test_it_shows_which_job_it_is() -> None:
    assert repr(job()) == "<JobMessage 7 in 'tube', 4 bytes>"
    assert job().twin().id == 7  # type: ignore[attr-defined]
