"""Real brokers for the loop."""

from __future__ import annotations

from tests.messaging.brokers import mq_url, rabbitmq_url

__all__ = ["mq_url", "rabbitmq_url"]
