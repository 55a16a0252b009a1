"""Typed messages: events by name and version, checked on their way out and in."""

from penstock.messaging.events.event import EventType, event, event_type, is_event
from penstock.messaging.events.registry import JSON, Encoded, Registry
from penstock.messaging.events.upcasting import Upcaster, upcast

__all__ = [
    "JSON",
    "Encoded",
    "EventType",
    "Registry",
    "Upcaster",
    "event",
    "event_type",
    "is_event",
    "upcast",
]
