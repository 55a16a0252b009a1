from __future__ import annotations

from penstock.messaging import Destination, Message
from penstock.messaging.beanstalk.deaths import dead
from penstock.messaging.envelope import deaths_of

TO = Destination("", "jobs")


def test_deaths_are_counted_as_rabbitmq_counts_them() -> None:
    first = dead(
        Message(body=b"x", expires_in=5.0, delay=3.0, headers={"mine": 1}),
        queue="jobs",
        reason="expired",
        to=TO,
        now=100.5,
    )
    assert (first.expires_in, first.delay, first.headers["mine"]) == (None, 0.0, 1)
    (death,) = deaths_of(first.headers)
    assert (death.queue, death.reason, death.exchange, death.keys) == ("jobs", "expired", "", ("jobs",))
    assert (death.count, death.at) == (1, 100.0)

    second = dead(first, queue="jobs", reason="rejected", to=TO, now=200.0)
    third = dead(second, queue="jobs", reason="expired", to=TO, now=300.0)
    found = [(each.reason, each.count, each.at) for each in deaths_of(third.headers)]
    assert found == [("expired", 2, 100.0), ("rejected", 1, 200.0)]


def test_what_others_wrote_there_does_no_harm() -> None:
    odd = Message(body=b"x", headers={"x-death": "often"})
    assert len(deaths_of(dead(odd, queue="q", reason="rejected", to=TO, now=1.0).headers)) == 1
