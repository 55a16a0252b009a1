from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.bodies import LargeBodies
from penstock.server.amqp.form import AmqpForm, LargeAmqpForm
from penstock.store import Found, MemoryStore
from tests.server.amqp.letters import DEATHS, large, small

if TYPE_CHECKING:
    from penstock.broker import Written
    from penstock.wiring import Message


def found(written: Written, message: Message, front: int) -> Found:
    content, extra, file = written
    times = (0, 0.0, None, 0, 0, 0, None, None)
    where = (message.proxy, message.destination, message.size)
    return Found(0, 1, 1, *times, front, content, *where, extra, file, 1)


def test_a_message_comes_back_as_it_was() -> None:
    form, message = AmqpForm(), small(headers={"a": 1}, delivery_mode=2, expiration="5000")
    again = form.read(found(form.write(message), message, form.number))
    assert (again.frames, again.route, again.properties) == (message.frames, message.route, {"a": 1})
    assert (again.terms.persistent, again.terms.expires_in, again.deaths) == (True, 5.0, ())


def test_its_deaths_come_back() -> None:
    form, letter = AmqpForm(), small().reborn("dead", None, DEATHS)
    assert form.read(found(form.write(letter), letter, form.number)).deaths == letter.deaths


def test_a_large_body_comes_back_from_its_file() -> None:
    bodies = LargeBodies(MemoryStore().contents)
    form, message = LargeAmqpForm(bodies), large(bodies)
    written = form.write(message)
    assert written.file not in (None, message.large.name)
    again = form.read(found(written, message, form.number))
    del message
    assert (again.body, again.size, again.properties) == (b"hello", 5, {"a": 1})
    bodies.close()
