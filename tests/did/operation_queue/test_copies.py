from __future__ import annotations

import pytest

from penstock.did.operation_queue.copies import copy_of, is_discarded
from penstock.did.operation_queue.detached import REFUSED, Claimed
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.messaging import Destination
from penstock.messaging.dead_letters.reading import read as read_letter
from penstock.messaging.dead_letters.redriving import redriven
from tests.did.operation_queue.helpers import posted, read

POLICY = DidParameters().reposting
QUEUES = DomainQueues()


def claimed(retries: int, error: str = "no witness") -> Claimed:
    return Claimed(posted(7, retries=retries, has_error=True), error, 1_000.0)


@pytest.mark.parametrize(("retries", "delay"), [(0, 0.0), (1, 5.0), (2, 7.5), (8, 60.0), (20, 60.0)])
def test_an_operation_is_posted_anew_with_a_delay_that_grows(retries: int, delay: float) -> None:
    message, to = copy_of(claimed(retries), POLICY, QUEUES, 2_000.0)
    assert to == Destination("orb", "orb.operation")
    assert (message.delay, message.headers.get("retries", 0)) == (delay, retries)
    assert read(message) == posted(7, retries=retries, has_error=True)


def test_after_the_last_try_it_is_a_dead_letter_with_the_reason() -> None:
    assert not is_discarded(claimed(20), POLICY)
    assert is_discarded(claimed(21), POLICY)
    message, to = copy_of(claimed(21), POLICY, QUEUES, 2_000.0)
    assert to == Destination.queue("orb.dead-letters")
    letter = read_letter(message, (), 3_000.0)
    assert (letter.consumer, letter.queue, letter.message_id) == (
        "operation-queue",
        "orb.operation",
        posted(7).id,
    )
    assert (letter.reason, letter.error, letter.attempts) == ("posted anew 20 times", "no witness", 21)
    assert (letter.first_failure, letter.last_failure) == (1_000.0, 2_000.0)
    assert message.headers["retries"] == 20


def test_one_that_can_be_in_no_batch_is_a_dead_letter_at_once() -> None:
    message, _ = copy_of(claimed(REFUSED, "expired"), POLICY, QUEUES, 2_000.0)
    letter = read_letter(message, (), 3_000.0)
    assert (letter.reason, letter.error, letter.attempts) == ("it can be in no batch", "expired", 1)


def test_a_dead_letter_that_is_redriven_has_all_its_tries_again() -> None:
    message, _ = copy_of(claimed(21), POLICY, QUEUES, 2_000.0)
    again, to = redriven(read_letter(message, (), 3_000.0))
    assert to == Destination.queue("orb.operation")
    assert read(again) == posted(7, has_error=True)


def test_an_endless_error_is_cut_short() -> None:
    message, _ = copy_of(claimed(21, "x" * 100_000), POLICY, QUEUES, 2_000.0)
    assert len(message.headers["x-penstock-error"]) == 1024
