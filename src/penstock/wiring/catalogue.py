"""Catalogue: what exists in a wiring, by name: proxy classes, templates, proxies, queues, registrations.

The verbs that create and destroy. Doing the same again the same way is fine; differently is an
error that names the difference; and whatever raises has changed nothing.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from penstock.errors import (
    AlreadyDifferent,
    Locked,
    StillUsed,
    UnknownProxy,
    UnknownProxyClass,
    UnknownQueue,
    UnknownTemplate,
)
from penstock.wiring.agenda import Agenda
from penstock.wiring.backlog import MemoryBacklog
from penstock.wiring.defaults import Defaults
from penstock.wiring.finding import find
from penstock.wiring.proxies import PROXY_CLASSES
from penstock.wiring.proxy import Proxy
from penstock.wiring.queue import Queue
from penstock.wiring.router import Stage
from penstock.wiring.template import OWN_NAME, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from penstock.wiring.backlog import Backlog
    from penstock.wiring.connection import Connection
    from penstock.wiring.journal import Journal
    from penstock.wiring.registration import Registration, Target

__all__ = ["Catalogue"]


class Catalogue:
    """Everything in a wiring that has a name."""

    def __init__(
        self,
        defaults: Defaults | None = None,
        *,
        proxy_classes: Mapping[str, type[Proxy]] = PROXY_CLASSES,
        backlog: Callable[[str, Template], Backlog] = lambda _name, _template: MemoryBacklog(),
        names: Iterator[str] | None = None,
        journal: Journal | None = None,
        heard: bool = False,
    ) -> None:
        """A wiring with the proxies and templates of `defaults`.

        Args:
            proxy_classes: by class name; add one of your own with `PROXY_CLASSES | {"MINE": Mine}`.
            backlog: makes the place where a queue, by its name, keeps what does not fit its memory window.
            names: the names for queues whose creator leaves that to the server.
            journal: where persistent queues note what must survive a restart.
            heard: whether somebody asks for what is gone; see Wiring.take_cancelled and take_destroyed.
        """
        defaults = defaults or Defaults()
        self.proxy_classes = dict(proxy_classes)
        self.templates: dict[str, Template] = {"": Template(), **defaults.templates}
        self.proxies: dict[str, Proxy] = {}
        self.queues: dict[tuple[str, str], Queue] = {}
        self._backlog = backlog
        self._names = names or (f"queue-{number}" for number in count(1))
        self._agenda = Agenda(journal, is_heard=heard)
        for name, arguments in defaults.proxies.items():
            self.create_proxy(name, **arguments)

    # Finding

    def proxy(self, name: str) -> Proxy:
        """The proxy of that name, or UnknownProxy."""
        return find(self.proxies, name, UnknownProxy, f"there is no proxy {name!r}: create it first")

    def queue(self, name: str, namespace: str = "", *, connection: Connection | None = None) -> Queue:
        """The queue of that name, or UnknownQueue; Locked if it is private to another connection."""
        where = f" in namespace {namespace!r}" if namespace else ""
        unknown = f"there is no queue {name!r}{where}: create it first"
        queue = find(self.queues, (namespace, name), UnknownQueue, unknown)
        if queue.owner not in (None, connection):
            raise Locked(f"queue {queue.address!r} is private to another connection")
        return queue

    def template(self, name: str) -> Template:
        """The queue template of that name, or UnknownTemplate."""
        unknown = f"there is no queue template {name!r}: configure it"
        return find(self.templates, name, UnknownTemplate, unknown)

    # Proxies

    def create_proxy(self, name: str, class_name: str, **properties: Any) -> Proxy:
        """Create a proxy by name, based on a proxy class.

        Args:
            properties: persistent, dynamic, internal, alternate, and what the class itself knows.
        """
        unknown = f"there is no proxy class {class_name!r}: load it first"
        proxy_class = find(self.proxy_classes, class_name, UnknownProxyClass, unknown)
        wanted = proxy_class(name, **properties)
        proxy = self.proxies.setdefault(name, wanted)
        if differences := proxy.differences(wanted):
            raise AlreadyDifferent(f"proxy {name!r} exists: {'; '.join(differences)}")
        return proxy

    def destroy_proxy(self, name: str, *, if_unused: bool = False) -> None:
        """Destroy a proxy with all its registrations."""
        proxy = self.proxy(name)
        if if_unused and proxy.registrations:
            raise StillUsed(
                f"proxy {name!r} has {len(proxy.registrations)} registrations: unregister them first"
            )
        if if_unused and proxy.stacked:
            raise StillUsed(f"proxy {name!r} stands in {proxy.stacked} stacks: destroy their queues first")
        del self.proxies[name]
        self._agenda.tell_destroyed(proxy)
        for registration in list(proxy.registrations.values()):
            for target in list(registration.targets):
                self._take_out(target, registration)
        for registration in list(proxy.registered_with):
            self._take_out(proxy, registration)
        for queue in self.queues.values() if proxy.stacked else ():
            if any(stage.proxy is proxy for stage in queue.stack):
                self._restack(queue, tuple(stage for stage in queue.stack if stage.proxy is not proxy))

    # Queues

    def create_queue(
        self,
        name: str = "",
        *,
        namespace: str = "",
        template: str = "",
        private_to: Connection | None = None,
        now: float,
        **changes: Any,
    ) -> Queue:
        """Create a queue from a template, with changes; without a name the server assigns one."""
        wanted = self.template(template).changed(changes)
        if not name:
            name = next(fresh for fresh in self._names if (namespace, fresh) not in self.queues)
        if (namespace, name) in self.queues:
            queue = self._same(self.queue(name, namespace, connection=private_to), wanted, private_to)
        else:
            queue = self.new_queue(
                name, wanted, self._agenda, self._backlog(name, wanted), namespace=namespace, owner=private_to
            )
            if wanted.registration is not None:
                pattern = wanted.registration.pattern
                self.register(queue, wanted.registration.proxy, name if pattern is OWN_NAME else pattern)
            self.queues[namespace, name] = queue
            if private_to is not None:
                private_to.private[queue] = None
        queue.use(now)
        return queue

    def new_queue(self, *args: Any, **kwargs: Any) -> Queue:
        """A queue of the kind that wirings like this one have."""
        return Queue(*args, **kwargs)

    def destroy_queue(self, queue: Queue, *, if_unused: bool = False, if_empty: bool = False) -> int:
        """Destroy a queue and let go of its messages; how many were ready. Its consumers are cancelled."""
        consumers = queue.dispatch.consumers
        if if_unused and consumers:
            raise StillUsed(f"queue {queue.address!r} has {len(consumers)} consumers: cancel them first")
        if if_empty and queue.ready:
            raise StillUsed(f"queue {queue.address!r} has {queue.ready} messages: purge it first")
        if queue.destroyed:
            return 0
        ready = queue.destroy()
        for consumer in list(consumers):
            queue.dispatch.leave(consumer)
            self._agenda.tell_cancelled(consumer)
        for registration in list(queue.registrations):
            self._take_out(queue, registration)
        self._restack(queue, ())
        del self.queues[queue.namespace, queue.name]
        self._agenda.tell_destroyed(queue)
        if queue.owner is not None:
            queue.owner.private.pop(queue, None)
        return ready

    # Registrations

    def register(self, target: Target, proxy: str, pattern: Any = None) -> Registration:
        """Ask a proxy for copies of all messages that look like this, for a queue or another proxy."""
        registration = self.proxy(proxy).register(target, pattern)
        _registrations(target)[registration] = None
        return registration

    def unregister(self, target: Target, proxy: str, pattern: Any = None) -> bool:
        """Take a registration back; False if there was none."""
        place = self.proxy(proxy)
        registration = place.registrations.get(place.normalise(pattern))
        if registration is None or target not in registration.targets:
            return False
        self._take_out(target, registration)
        return True

    def stack(self, queue: Queue, proxy: str, pattern: Any = None) -> Stage:
        """Let a proxy step in between the queue and whatever it is registered with, nearest the queue."""
        place = self.proxy(proxy)
        stage = Stage(place, place.normalise(pattern))
        self._restack(queue, (*queue.stack, stage))
        return stage

    # What the verbs share

    def _same(self, queue: Queue, wanted: Template, private_to: Connection | None) -> Queue:
        differences = queue.template.differences(wanted)
        if queue.owner is not private_to:
            differences.append("it is shared, not private")
        if differences:
            raise AlreadyDifferent(f"queue {queue.address!r} exists: {'; '.join(differences)}")
        return queue

    def _take_out(self, target: Target, registration: Registration) -> None:
        registration.proxy.unregister(target, registration)
        _registrations(target).pop(registration, None)
        self._destroy_if_unused(registration.proxy)

    def _destroy_if_unused(self, proxy: Proxy) -> None:
        unused = not proxy.registrations and not proxy.stacked
        if proxy.dynamic and unused and self.proxies.get(proxy.name) is proxy:
            self.destroy_proxy(proxy.name)

    def _restack(self, queue: Queue, stack: tuple[Stage, ...]) -> None:
        before, left = queue.detour, queue.stack
        queue.stack = stack
        for registration in queue.registrations:
            registration.proxy.detours += queue.detour - before
        for stage in stack:
            stage.proxy.stacked += 1
        for stage in left:
            stage.proxy.stacked -= 1
            self._destroy_if_unused(stage.proxy)


def _registrations(target: Target) -> dict[Registration, None]:
    if isinstance(target, Queue):
        return target.registrations
    return target.registered_with if isinstance(target, Proxy) else {}
