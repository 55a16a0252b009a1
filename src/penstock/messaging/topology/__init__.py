"""Topology: the exchanges, queues and bindings that an application needs, and what a broker has of them."""

from penstock.messaging.topology.model import Publication, Subscription, Topology

__all__ = ["Publication", "Subscription", "Topology"]
