"""`penstock demo`: the wiring at work, in the terminal, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.tree import Tree

from penstock.wiring import DeadLetters, Message, Queue, Terms, Wiring

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.wiring import Proxy, Target

__all__ = ["demo", "show"]


def demo() -> None:
    """Show where messages go in a broker, and why."""
    show(Console(highlight=False))


def show(console: Console) -> None:
    """Build a wiring, send messages through it, and show what becomes of them."""
    wiring = build()
    console.rule("[bold]The wiring: proxies, registrations, queues")
    for proxy in wiring.proxies.values():
        console.print(drawn(proxy))
    console.rule("[bold]Four messages, and why they go where they go")
    for proxy_name, message in traffic():
        wiring.publish(proxy_name, [message], now=0)
        console.print(f"[bold]{bytes(message.body).decode()}[/] to {proxy_name!r}")
        for trial in wiring.explain(proxy_name, message).trials:
            mark, style = ("✓", "green") if trial.matched else ("·", "dim")
            console.print(f"  {mark} {trial}", style=style, markup=False)
    console.rule("[bold]Work, failure, and an hour that takes no time")
    work(wiring, console)
    console.rule("[bold]What is left")
    console.print(depths(wiring.queues.values()))
    console.print("Learn more: docs/tutorials/first-wiring.md", style="dim")


def build() -> Wiring:
    """Store and forward, topics, a stack, and a home for dead letters."""
    wiring = Wiring()
    for name, class_name in {
        "queue": "DEST-NAME",
        "topic": "DEST-WILD",
        "vip": "PROP-TEST",
        "dead": "FANOUT",
    }.items():
        wiring.create_proxy(name, class_name)
    orders = wiring.create_queue("orders", dead_letters=DeadLetters("dead"), now=0.0)
    wiring.register(orders, "queue", "orders")
    wiring.register(wiring.create_queue("audit", now=0.0), "topic", "order.#")
    express = wiring.create_queue("express", now=0.0)
    wiring.register(express, "topic", "order.new.*")
    wiring.stack(express, "vip", {"vip": True})
    wiring.register(wiring.create_queue("graves", now=0.0), "dead")
    return wiring


def traffic() -> list[tuple[str, Message]]:
    """What the demonstration sends, and to which proxies."""
    return [
        ("queue", Message(b"10 nails", "orders")),
        ("queue", Message(b"1 hammer, in an hour", "orders", terms=Terms(delay_in=3600))),
        ("topic", Message(b"new order from anybody", "order.new.eu")),
        ("topic", Message(b"new order from a friend", "order.new.eu", {"vip": True})),
    ]


def drawn(proxy: Proxy) -> Tree:
    """A proxy, its registrations and who asked, as a tree."""
    tree = Tree(f"[bold]{proxy.name}[/] [dim]{proxy.class_name}")
    for registration in proxy.registrations.values():
        branch = tree.add(f"[cyan]{proxy.describe(registration.pattern)}")
        for target in registration.targets:
            branch.add(_behind(target))
    return tree


def _behind(target: Target) -> str:
    if not isinstance(target, Queue):
        return repr(target)
    stages = [f"through {stage.proxy.name}: {stage.proxy.describe(stage.pattern)}" for stage in target.stack]
    return " → ".join([*stages, f"queue [green]{target.address}"])


def work(wiring: Wiring, console: Console) -> None:
    """A consumer takes the orders, and fails on one of them."""
    ledger = wiring.connect("carpenter").open_ledger()
    wiring.consume(ledger, wiring.queue("orders"), "carpenter", prefetch=1, now=0.0)
    for now in (1, 3600):
        wiring.tick(now)
        for consumer, tag, references in wiring.deliver(now):
            body = bytes(references[0].message.body).decode()
            if b"hammer" in bytes(references[0].message.body):
                ledger.reject(tag, now, error="sold out")
                console.print(f"second {now:>4}: {consumer.name} rejects {body!r}: sold out", style="red")
            else:
                ledger.ack(tag)
                console.print(f"second {now:>4}: {consumer.name} has done {body!r}", style="green")
    wiring.deliver(3600)


def depths(queues: Iterable[Queue]) -> Table:
    """All queues, and what stands in them."""
    table = Table("queue", "ready", "held", "first message", "died of")
    for queue in queues:
        first = next(queue.peek(), None)
        body = bytes(first.message.body).decode() if first else ""
        deaths = first.message.deaths if first else ()
        why = ", ".join(f"{death.reason.value} in {death.queue}: {death.error}" for death in deaths)
        table.add_row(queue.address, str(queue.ready), str(queue.held), body, why)
    return table
