from __future__ import annotations

from penstock.client.beanstalk import OutgoingJob
from penstock.messaging import Destination, Message
from penstock.messaging.message import Heading, Wishes
from penstock.messaging.tracing import Trace, within
from tests.client.support import story
from tests.messaging.beanstalk.support import adapted, fetched


@story
async def test_another_programs_job_is_a_message_like_any_other() -> None:
    async with adapted() as (broker, made):
        await broker.client.put(OutgoingJob("jobs", b'{"route":"/a"}', priority=1024, ttr=60))
        made.clock.advance(9)
        received = await fetched(broker, "jobs")
        message = received.message
        assert message.id == f"{broker.client.tubes.server.id}-1"
        assert (received.body, received.type, received.queue) == (b'{"route":"/a"}', "", "jobs")
        assert received.heading == Heading("", 1, "application/json")
        assert (message.timestamp, message.priority) == (1_000_000.0, None)
        assert message.headers == {"x-beanstalk-priority": 1024, "x-ttr": 60}
        assert received.destination == Destination.queue("jobs")
        assert (received.redelivered, received.delivery_count, received.is_lost) == (False, 0, False)
        assert received.deaths == ()
        assert repr(received) == f"<BeanstalkReceived  {message.id} from 'jobs'>"


@story
async def test_its_time_to_run_is_no_limit_since_it_is_touched() -> None:
    async with adapted() as (broker, _):
        await broker.publish(
            Message(body=b"x", reply_to="me", headers={"x-ttr": 60}), Destination.queue("jobs")
        )
        assert (await fetched(broker, "jobs")).wishes == Wishes("me", None)


@story
async def test_silence_is_counted_and_what_was_given_back_is_not() -> None:
    async with adapted() as (broker, made):
        await broker.publish(Message(body=b"x"), Destination.queue("jobs"))
        (await fetched(broker, "jobs")).requeue()
        again = await fetched(broker, "jobs")
        assert (again.redelivered, again.delivery_count) == (True, 0)
        made.cut()
        await made.until(lambda: again.is_lost)
        await made.until(lambda: broker.is_connected, step=0.5)
        made.clock.advance(5)
        third = await fetched(broker, "jobs")
        assert (third.redelivered, third.delivery_count) == (True, 1)
        assert third.message.headers["x-delivery-count"] == 1


@story
async def test_a_copy_knows_where_the_first_was_published_to() -> None:
    async with adapted() as (broker, _):
        headers = {"x-penstock-exchange": "bills", "x-penstock-key": "Bill.eu"}
        await broker.publish(Message(body=b"x", headers=headers), Destination.queue("jobs"))
        assert (await fetched(broker, "jobs")).destination == Destination("bills", "Bill.eu")


@story
async def test_a_trace_is_in_the_envelope_and_a_job_without_one_stays_its_body() -> None:
    trace = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    async with adapted() as (broker, _):
        with within(trace):
            await broker.publish(Message(body=b"x"), Destination.queue("jobs"))
            await broker.publish(Message(body=b"bare", id=""), Destination.queue("jobs"))
        assert (await fetched(broker, "jobs")).trace == trace
        job = await broker.client.get("jobs")
        assert job is not None
        assert job.body == b"bare"
