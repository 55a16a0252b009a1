from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import TopologyError
from penstock.messaging.topology.model import Publication, Subscription
from penstock.messaging.topology.written import load, parse, parse_binding

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
bindings = [
    "commons[ThreadCreated, ThreadDeleted] -> commons.notifications",
    "commons -> audit",
    "audit -> commons.audit",
    { source = "by-header", target = "commons.audit", arguments = { colour = "red" } },
    "amq.topic -> commons.audit",
]

[defaults.queue]
dead_letters = "commons.dead-letters"
arguments = { x-queue-type = "classic" }

[exchanges.commons]

[exchanges.audit]
type = "fanout"

[exchanges.by-header]
type = "headers"
durable = false
arguments = { alternate-exchange = "audit" }

[queues."commons.notifications"]
arguments = { x-max-length = 10 }

[queues."commons.audit"]
dead_letters = "elsewhere"

[publications.thread_created]
exchange = "commons"
key = "ThreadCreated"

[subscriptions.notifications]
queue = "commons.notifications"
"""


def test_a_whole_file() -> None:
    topology = parse(WHOLE)
    assert topology.exchanges == (
        Exchange("commons", "topic"),
        Exchange("audit", "fanout"),
        Exchange("by-header", "headers", durable=False, arguments={"alternate-exchange": "audit"}),
    )
    common: Any = {"x-queue-type": "classic", "x-dead-letter-exchange": ""}
    home, elsewhere = ({"x-dead-letter-routing-key": key} for key in ("commons.dead-letters", "elsewhere"))
    assert topology.queues == (
        Queue("commons.notifications", arguments=common | home | {"x-max-length": 10}),
        Queue("commons.audit", arguments=common | elsewhere),
    )
    assert topology.bindings == (
        Binding("commons", "commons.notifications", "ThreadCreated"),
        Binding("commons", "commons.notifications", "ThreadDeleted"),
        Binding("commons", "audit", "#", to_exchange=True),
        Binding("audit", "commons.audit", ""),
        Binding("by-header", "commons.audit", "", arguments={"colour": "red"}),
        Binding("amq.topic", "commons.audit", "#"),
    )
    assert topology.publications == (
        Publication(name="thread_created", exchange="commons", key="ThreadCreated"),
    )
    assert topology.subscriptions == (Subscription(name="notifications", queue="commons.notifications"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e -> q", ("e", [], "q")),
        ("e[a] -> q", ("e", ["a"], "q")),
        ("  e [ a.# , b.* ]->  q.1 ", ("e", ["a.#", "b.*"], "q.1")),
        ("e[] -> q", ("e", [""], "q")),
        ("e -> a queue", ("e", [], "a queue")),
    ],
)
def test_the_short_form_of_a_binding(text: str, expected: tuple[str, list[str], str]) -> None:
    assert parse_binding(text) == expected


@pytest.mark.parametrize("text", ["", "e", "e ->", "-> q", "[a] -> q", "e[a -> q", "e[a][b] -> q"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(TopologyError, match=r'write "exchange\[key, key\] -> queue"'):
        parse_binding(text)


def test_a_name_of_both_kinds_is_a_queue_unless_told() -> None:
    names = "[exchanges.e]\n[exchanges.both]\n[queues.both]\n"
    (binding,) = parse(f'bindings = ["e -> both"]\n{names}').bindings
    assert not binding.to_exchange
    full = 'bindings = [{source = "e", target = "both", key = "k", to_exchange = true}]\n'
    assert parse(full + names).bindings == (Binding("e", "both", "k", to_exchange=True),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = ", "Invalid value"),
        ("lists = {}", "unknown field `lists`"),
        ("[queues.q]\nduration = 5", "unknown field `duration`"),
        ("[queues.q]\ndurable = 5", r"Expected `bool`, got `int` - at `\$.durable`"),
        ("[exchanges.e]\ntype = 1", r"Expected `str`, got `int`"),
        ('bindings = ["e -> q"]', "there is no exchange 'e' in it"),
        ('bindings = ["e -> notify"]\n[exchanges.e]\n[queues.notify2]', "did you mean 'notify2'?"),
        ('[subscriptions.s]\nqueue = "q"', "there is no queue 'q' in it"),
        ('[publications.p]\nexchange = "e"', "there is no exchange 'e' in it"),
    ],
)
def test_mistakes_are_told(text: str, told: str) -> None:
    with pytest.raises(TopologyError, match=told):
        parse(text)


def test_a_file_is_named_in_what_is_told_of_it(tmp_path: Path) -> None:
    path = tmp_path / "topology.toml"
    with pytest.raises(TopologyError, match=r"topology.toml cannot be read: .*No such file"):
        load(path)
    path.write_text("[queues.q]\nx = 1")
    with pytest.raises(TopologyError, match=r"topology.toml: .*unknown field `x`"):
        load(path)
    path.write_text(WHOLE)
    assert load(path) == parse(WHOLE)
